// The check of a whole program: tables, declarations, then init, step and losses with what they call.
#include "semantics/check.hpp"

#include "semantics/checker.hpp"

namespace adjoule::semantics {

namespace {

void report_unsupported(Checker& c) {
  for (const syntax::ImportItem& item : c.ast.imports) {
    not_yet(c, item.span, "import", "copy the functions that are needed into this file");
  }
  for (const syntax::StructItem& item : c.ast.structs) {
    not_yet(c, item.span, "struct (records)", "use a field for each member, or an array");
    c.poisoned.insert(item.name);
  }
  for (const syntax::FunctionItem& item : c.ast.functions) {
    if (item.adjoint)
      not_yet(c, item.name_span, "own derivatives (`adjoint " + item.name + "`)",
              "the compiler derives " + quoted(item.name) + " itself");
  }
}

void check_entry(Checker& c, const syntax::EntryItem& item, const std::string& owner, bool loss) {
  Place place{.loss = loss, .owner = owner};
  if (loss) place.result = real_type();
  const Swapped here(c.place, std::move(place));
  check_block(c, item.body);
  if (!loss || always_returns(item.body)) return;
  c.diagnostics.error(item.name.empty() ? Span{item.span.file, item.span.begin, item.span.begin + 4} : item.name_span,
                      owner + " does not return a value on every path", "end it with return …;");
}

void check_once(Checker& c, const std::vector<syntax::EntryItem>& items, const std::string& name) {
  for (size_t i = 0; i < items.size(); ++i) {
    const auto keyword = [&](Span s) { return Span{s.file, s.begin, s.begin + static_cast<uint32_t>(name.size())}; };
    if (i > 0) {
      c.diagnostics
          .error(keyword(items[i].span), "there are two " + quoted(name) + " blocks", "put their statements into one")
          .notes.push_back({keyword(items[0].span), "the first one is here"});
    }
    check_entry(c, items[i], quoted(name), false);
  }
}

void check_losses(Checker& c) {
  std::map<std::string, Span> names;
  for (const syntax::EntryItem& item : c.ast.losses) {
    const Span place = item.name.empty() ? Span{item.span.file, item.span.begin, item.span.begin + 4} : item.name_span;
    const std::string owner = item.name.empty() ? "the loss" : "the loss " + quoted(item.name);
    if (const auto [first, fresh] = names.emplace(item.name, place); !fresh) {
      c.diagnostics
          .error(place,
                 item.name.empty() ? "there are two losses without a name"
                                   : "there are two losses named " + quoted(item.name),
                 "give each its name: loss energy { … }")
          .notes.push_back({first->second, "the first one is here"});
    }
    check_entry(c, item, owner, true);
  }
}

CheckedProgram empty_tables(const syntax::Program& program) {
  CheckedProgram out;
  out.ast = &program;
  out.constants.resize(program.consts.size());
  out.field_types.resize(program.fields.size());
  out.function_results.resize(program.functions.size());
  out.expressions.resize(program.id_count);
  out.declared.assign(program.id_count, no_symbol);
  return out;
}

}  // namespace

CheckedProgram check(const syntax::Program& program, Diagnostics& diagnostics) {
  CheckedProgram out = empty_tables(program);
  Checker c{.ast = program, .diagnostics = diagnostics, .out = out};
  c.fluid.assign(program.id_count, false);
  c.functions.resize(program.functions.size());
  c.procs.resize(program.procs.size());
  c.constants.assign(program.consts.size(), Progress::untouched);
  c.constant_symbols.assign(program.consts.size(), no_symbol);
  declare_builtins(c);
  report_unsupported(c);
  declare_globals(c);
  check_declarations(c);
  check_signatures(c);
  check_once(c, program.inits, "init");
  check_once(c, program.steps, "step");
  check_losses(c);
  check_routines(c);
  return out;
}

}  // namespace adjoule::semantics
