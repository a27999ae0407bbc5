// The border between values with owners and bare slots.
#include "call.hpp"

#include "adjoule/adjoule.hpp"

namespace adjoule::runtime {
namespace {

bool is_consumed(const Procedure& procedure, size_t input) {
  return input < procedure.consumed.size() && procedure.consumed[input];
}

/// After a fault nobody knows how far consumed buffers got: those still handed out are given back. Stacks may hold
/// buffers that go away with the rest, so they are emptied first.
void clean_up(const Procedure& procedure, Pool& pool, int64_t mark, std::span<Value* const> inputs) {
  for (Value* value : inputs) {
    if (value->kind() == Value::Kind::stack) value->reset();
  }
  pool.release_since(mark);
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (!is_consumed(procedure, k) || inputs[k]->kind() != Value::Kind::buffer) continue;
    if (pool.owns(inputs[k]->data()))
      inputs[k]->reset();
    else
      inputs[k]->forget();
  }
}

}  // namespace

std::vector<Value> call(const Procedure& procedure, Context& context, const Manifest& manifest, const Extents& extents,
                        std::span<Value* const> inputs) {
  std::vector<Slot> in, out;
  if (inputs.size() != procedure.inputs.size())
    throw Error(Failure::failed_run,
                "internal error: " + procedure.name +
                    " was called with the wrong inputs; please report this as a bug of the compiler");
  for (Value* value : inputs) in.insert(in.end(), value->slots().begin(), value->slots().end());
  std::vector<Layout> layouts;
  for (const Type& type : procedure.outputs) {
    layouts.push_back(layout_of(type, manifest, extents));
    size_t slots = layouts.back().kind == Value::Kind::components ? static_cast<size_t>(layouts.back().components) : 1;
    out.insert(out.end(), slots, Slot{});
  }
  Pool& pool = *context.pool;
  int64_t mark = pool.mark();
  context.fault_site = -1;
  if (procedure.call(context, in.data(), out.data()) != 0) {
    clean_up(procedure, pool, mark, inputs);
    if (context.fault_site == stopped_site) throw Stopped{};
    throw Error(Failure::failed_run, procedure.explain(context));
  }
  for (size_t k = 0; k < inputs.size(); ++k) {
    if (is_consumed(procedure, k) && inputs[k]->kind() == Value::Kind::buffer) inputs[k]->forget();
  }
  std::vector<Value> outputs;
  auto slot = out.begin();
  for (const Layout& layout : layouts) {
    if (layout.kind == Value::Kind::buffer) {
      outputs.push_back(Value::adopt(pool, slot++->pointer, layout.bytes()));
    } else {
      outputs.push_back(Value::components({slot, slot + layout.components}));
      slot += layout.components;
    }
  }
  return outputs;
}

}  // namespace adjoule::runtime
