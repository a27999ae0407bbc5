// Slots and buffers -> Datum, interpret, Datum -> slots and buffers. Slow and simple: everything is copied.
#include "driver/interpreted.hpp"

#include <cstring>

#include "binding.hpp"
#include "ir/interpreter.hpp"
#include "pool.hpp"

namespace adjoule::driver {
namespace {

using runtime::Context;
using runtime::Layout;
using runtime::Scalar;
using runtime::Slot;

/// What is the same for all values of one call.
struct Border {
  const ir::Program& program;
  const ir::Environment& environment;
  Context& context;
  bool single;

  Layout layout(const Type& type) const {
    Layout layout;
    layout.scalar = runtime::scalar_of(type);
    if (type.stack) {
      layout.kind = runtime::Value::Kind::stack;
    } else if (type.field) {
      layout.kind = runtime::Value::Kind::buffer;
      layout.components = runtime::element_components(type);
      layout.elements = ir::element_count(program, type, environment);
      layout.scalar_bytes = layout.scalar == Scalar::boolean ? 1 : (layout.scalar == Scalar::real && !single ? 8 : 4);
    } else {
      layout.components = ir::scalar_count(program, type);
    }
    return layout;
  }
};

template <typename T, typename To>
void read_buffer(const char* base, const Layout& layout, std::vector<To>& out) {
  auto width = static_cast<size_t>(layout.components);
  out.resize(static_cast<size_t>(layout.elements) * width);
  for (size_t c = 0; c < width; ++c) {
    const T* from = reinterpret_cast<const T*>(base + static_cast<int64_t>(c) * layout.stride());
    for (size_t i = 0; i < static_cast<size_t>(layout.elements); ++i) out[i * width + c] = static_cast<To>(from[i]);
  }
}

template <typename T, typename From>
void write_buffer(char* base, const Layout& layout, const std::vector<From>& in) {
  auto width = static_cast<size_t>(layout.components);
  for (size_t c = 0; c < width; ++c) {
    T* to = reinterpret_cast<T*>(base + static_cast<int64_t>(c) * layout.stride());
    for (size_t i = 0; i < static_cast<size_t>(layout.elements); ++i) to[i] = static_cast<T>(in[i * width + c]);
  }
}

ir::Datum field_datum(const Border& border, const Type& type, const void* buffer) {
  Layout layout = border.layout(type);
  auto base = static_cast<const char*>(buffer);
  auto data = std::make_shared<ir::FieldData>();
  switch (layout.scalar) {
    case Scalar::real:
      if (border.single)
        read_buffer<float>(base, layout, data->reals);
      else
        read_buffer<double>(base, layout, data->reals);
      break;
    case Scalar::integer: read_buffer<int32_t>(base, layout, data->integers); break;
    case Scalar::boolean: read_buffer<uint8_t>(base, layout, data->integers); break;
  }
  ir::Datum datum;
  datum.field = std::move(data);
  return datum;
}

void* field_buffer(const Border& border, const Type& type, const ir::Datum& datum) {
  Layout layout = border.layout(type);
  auto base = static_cast<char*>(border.context.pool->allocate(layout.bytes()));
  switch (layout.scalar) {
    case Scalar::real:
      if (border.single)
        write_buffer<float>(base, layout, datum.field->reals);
      else
        write_buffer<double>(base, layout, datum.field->reals);
      break;
    case Scalar::integer: write_buffer<int32_t>(base, layout, datum.field->integers); break;
    case Scalar::boolean: write_buffer<uint8_t>(base, layout, datum.field->integers); break;
  }
  return base;
}

ir::Datum value_datum(const Border& border, const Type& type, const Slot* slots) {
  ir::Datum datum;
  for (int32_t k = 0; k < border.layout(type).components; ++k) {
    if (!type.differentiable())
      datum.integers.push_back(slots[k].integer);
    else
      datum.reals.push_back(border.single ? static_cast<double>(slots[k].single) : slots[k].real);
  }
  return datum;
}

void value_slots(const Border& border, const Type& type, const ir::Datum& datum, Slot* slots) {
  for (int32_t k = 0; k < border.layout(type).components; ++k) {
    slots[k] = Slot{};
    auto at = static_cast<size_t>(k);
    if (!type.differentiable())
      slots[k].integer = datum.integers[at];
    else if (border.single)
      slots[k].single = static_cast<float>(datum.reals[at]);
    else
      slots[k].real = datum.reals[at];
  }
}

ir::Datum stack_datum(const Border& border, const Type& type, const runtime::NativeStack& stack) {
  Type held = popped(type);
  ir::Datum datum;
  datum.stack = std::make_shared<ir::StackData>();
  for (int64_t i = 0; i < stack.size; ++i) {
    auto item = reinterpret_cast<const Slot*>(stack.data + i * stack.item_bytes);
    datum.stack->items.push_back(held.field ? field_datum(border, held, item->pointer)
                                            : value_datum(border, held, item));
  }
  return datum;
}

/// The native stack is made to hold what the interpreter's holds now.
void refill(const Border& border, const Type& type, const ir::Datum& datum, runtime::NativeStack& stack) {
  Type held = popped(type);
  runtime::Pool& pool = *border.context.pool;
  for (int64_t i = 0; held.field && i < stack.size; ++i)
    pool.release(reinterpret_cast<Slot*>(stack.data + i * stack.item_bytes)->pointer);
  stack.size = 0;
  for (const ir::Datum& item : datum.stack->items) {
    if (stack.size == stack.capacity) pool.grow(&stack);
    auto to = reinterpret_cast<Slot*>(stack.data + stack.size * stack.item_bytes);
    if (held.field)
      to->pointer = field_buffer(border, held, item);
    else
      value_slots(border, held, item, to);
    ++stack.size;
  }
}

int32_t slot_count(const Border& border, const Type& type) {
  return type.stack || type.field ? 1 : border.layout(type).components;
}

ir::Environment environment_of(const Context& context, const ir::Program& program, const Facts& facts, bool single) {
  ir::Environment environment;
  environment.sizes = facts.sizes;
  environment.steps = context.steps;
  environment.single = single;
  for (size_t s = 0; s < program.spaces.size(); ++s) {
    const int32_t* e = context.extents + 3 * s;
    environment.extents.push_back({e[0], e[1], e[2]});
  }
  return environment;
}

struct Call {
  std::shared_ptr<const Compilation> compilation;
  ir::Procedure procedure;
  Facts facts;
  bool single;
  std::shared_ptr<std::string> fault = std::make_shared<std::string>();

  const Type& input_type(size_t k) const { return procedure.type(procedure.inputs()[k]); }

  std::vector<ir::Datum> read_inputs(const Border& border, const Slot* in) const {
    std::vector<ir::Datum> data;
    for (size_t k = 0; k < procedure.inputs().size(); ++k) {
      const Type& type = input_type(k);
      if (type.stack)
        data.push_back(stack_datum(border, type, *static_cast<runtime::NativeStack*>(in->pointer)));
      else if (type.field)
        data.push_back(field_datum(border, type, in->pointer));
      else
        data.push_back(value_datum(border, type, in));
      in += slot_count(border, type);
    }
    return data;
  }

  void take_inputs(const Border& border, const Slot* in, const std::vector<ir::Datum>& data) const {
    for (size_t k = 0; k < procedure.inputs().size(); ++k) {
      const Type& type = input_type(k);
      bool consumed = k < procedure.consumed.size() && procedure.consumed[k];
      if (type.stack)
        refill(border, type, data[k], *static_cast<runtime::NativeStack*>(in->pointer));
      else if (type.field && consumed)
        border.context.pool->release(in->pointer);
      in += slot_count(border, type);
    }
  }

  int32_t operator()(Context& context, const Slot* in, Slot* out) const {
    const ir::Program& program = *compilation->program;
    ir::Environment environment = environment_of(context, program, facts, single);
    Border border{program, environment, context, single};
    std::vector<ir::Datum> inputs = read_inputs(border, in);
    ir::Outcome outcome =
        ir::interpret(program, procedure, environment, inputs);  // stacks are shared: they change in place
    if (outcome.fault) {
      Diagnostic d{Severity::error, outcome.fault->span, outcome.fault->message, "", {}};
      *fault = render(d, compilation->sources);
      return 1;
    }
    take_inputs(border, in, inputs);
    for (size_t k = 0; k < procedure.outputs().size(); ++k) {
      const Type& type = procedure.type(procedure.outputs()[k]);
      if (type.field)
        out->pointer = field_buffer(border, type, outcome.outputs[k]);
      else
        value_slots(border, type, outcome.outputs[k], out);
      out += slot_count(border, type);
    }
    return 0;
  }
};

}  // namespace

runtime::Procedure interpreted(std::shared_ptr<const Compilation> compilation, ir::Procedure procedure, Facts facts,
                               bool single) {
  runtime::Procedure result;
  result.name = procedure.name;
  for (ir::Value v : procedure.inputs()) result.inputs.push_back(procedure.type(v));
  for (ir::Value v : procedure.outputs()) result.outputs.push_back(procedure.type(v));
  result.consumed = procedure.consumed;
  Call call{std::move(compilation), std::move(procedure), std::move(facts), single};
  result.explain = [fault = call.fault](const Context&) { return *fault; };
  result.call = std::move(call);
  return result;
}

}  // namespace adjoule::driver
