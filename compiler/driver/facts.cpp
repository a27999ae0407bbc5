// Sizes, extents and defaults are small procedures of the program, evaluated here by the reference interpreter.
#include "driver/facts.hpp"

#include <fmt/format.h>

#include <limits>

#include "ir/interpreter.hpp"

namespace adjoule::driver {
namespace {

[[noreturn]] void misuse(const std::string& text) { throw Error(Failure::wrong_use, text); }

constexpr int64_t largest = std::numeric_limits<int32_t>::max();

ir::Outcome evaluate(const Compilation& c, const ir::Procedure& procedure, const Facts& facts, bool single) {
  ir::Environment environment;
  environment.sizes = facts.sizes;
  environment.extents = facts.extents;
  environment.extents.resize(c.program->spaces.size(), {1, 1, 1});
  environment.single = single;
  return ir::interpret(*c.program, procedure, environment, {});
}

[[noreturn]] void report_fault(const Compilation& c, const ir::RuntimeFault& fault) {
  Diagnostic d{Severity::error, fault.span, fault.message, "", {}};
  throw Error(Failure::wrong_use, render(d, c.sources));
}

void check_names(const Compilation& c, const Options& options) {
  std::vector<std::string> names;
  for (const ir::SizeInfo& size : c.program->sizes) names.push_back(size.name);
  for (const auto& [name, value] : options.sizes) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      std::string guess = did_you_mean(name, names);
      misuse(fmt::format("the program has no size '{}'{}", name,
                         guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess)));
    }
    if (value > largest || value < -largest)
      misuse(fmt::format("size {} = {} does not fit into an int (32 bits)", name, value));
  }
}

void check_missing(const Compilation& c, const Options& options) {
  std::vector<std::string> missing;
  for (const ir::SizeInfo& size : c.program->sizes) {
    if (!size.has_default && !options.sizes.contains(size.name)) missing.push_back(size.name);
  }
  if (missing.empty()) return;
  misuse(fmt::format("{}: the size{} {} {} no value: give {} with --set {}=NUMBER", c.sources.files[0].name,
                     missing.size() == 1 ? "" : "s", fmt::join(missing, ", "), missing.size() == 1 ? "has" : "have",
                     missing.size() == 1 ? "it" : "them", missing[0]));
}

/// A default may use other sizes, so the defaults are evaluated until nothing changes any more.
void find_sizes(const Compilation& c, const Options& options, Facts& facts) {
  const std::vector<ir::SizeInfo>& sizes = c.program->sizes;
  facts.sizes.assign(sizes.size(), 1);
  for (size_t k = 0; k < sizes.size(); ++k) {
    auto given = options.sizes.find(sizes[k].name);
    if (given != options.sizes.end()) facts.sizes[k] = static_cast<int32_t>(given->second);
  }
  for (size_t round = 0; round <= sizes.size(); ++round) {
    std::vector<int32_t> before = facts.sizes;
    ir::Outcome outcome = evaluate(c, c.program->size_defaults, facts, false);
    if (outcome.fault) {
      if (round == sizes.size()) report_fault(c, *outcome.fault);
      continue;
    }
    size_t next = 0;
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (!sizes[k].has_default) continue;
      int32_t value = outcome.outputs[next++].integers[0];
      if (!options.sizes.contains(sizes[k].name)) facts.sizes[k] = value;
    }
    if (facts.sizes == before) return;
  }
}

void find_extents(const Compilation& c, Facts& facts) {
  ir::Outcome outcome = evaluate(c, c.program->extents, facts, false);
  if (outcome.fault) report_fault(c, *outcome.fault);
  size_t next = 0;
  for (const ir::SpaceInfo& space : c.program->spaces) {
    std::array<int32_t, 3> extents{1, 1, 1};
    int64_t count = 1;
    for (int a = 0; a < space.dims && !space.open; ++a) {
      int32_t n = outcome.outputs[next++].integers[0];
      extents[static_cast<size_t>(a)] = n;
      if (n < 0) misuse(fmt::format("{}: the extent of {} is {}", c.sources.describe(space.span), space.name, n));
      count *= n;
      if (count > largest)
        misuse(fmt::format("{}: {} has more than {} elements", c.sources.describe(space.span), space.name, largest));
    }
    if (space.open) extents[0] = -1;
    facts.extents.push_back(extents);
  }
}

void find_default(const Compilation& c, const ir::FieldInfo& field, const Facts& facts, bool single,
                  runtime::FieldSpec& spec) {
  if (field.default_procedure < 0) return;
  ir::Outcome outcome = evaluate(c, c.program->defaults[static_cast<size_t>(field.default_procedure)], facts, single);
  if (outcome.fault) report_fault(c, *outcome.fault);
  spec.has_default = true;
  spec.default_reals = outcome.outputs[0].reals;
  spec.default_integers = outcome.outputs[0].integers;
}

runtime::FieldSpec field_spec(const Compilation& c, size_t index, const Facts& facts, bool single) {
  const ir::FieldInfo& field = c.program->fields[index];
  runtime::FieldSpec spec;
  spec.name = field.name;
  spec.place = c.sources.describe(field.span);
  Type element = field.type;
  element.field = false;
  element.spaces.clear();
  spec.type_text = to_string(element, c.program->space_names());
  spec.role = field.role;
  spec.type = field.type;
  spec.set_by_init = index < c.program->set_by_init.size() && c.program->set_by_init[index];
  find_default(c, field, facts, single, spec);
  return spec;
}

}  // namespace

Facts find_facts(const Compilation& compilation, const Options& options) {
  check_names(compilation, options);
  check_missing(compilation, options);
  Facts facts;
  find_sizes(compilation, options, facts);
  find_extents(compilation, facts);
  return facts;
}

runtime::Manifest make_manifest(const Compilation& c, const Facts& facts, const Options& options) {
  runtime::Manifest manifest;
  manifest.single = options.real == Real::f32;
  manifest.has_step = c.program->has_step;
  for (size_t s = 0; s < c.program->spaces.size(); ++s) {
    const ir::SpaceInfo& space = c.program->spaces[s];
    manifest.spaces.push_back({space.name, space.grid, space.dims, space.open, facts.extents[s], space.boundary});
  }
  std::vector<std::string> last_rows = certain_last_rows(c);
  for (size_t f = 0; f < c.program->fields.size(); ++f) {
    manifest.fields.push_back(field_spec(c, f, facts, manifest.single));
    manifest.fields.back().reads_last_row = last_rows[f];
    (c.program->fields[f].role == FieldRole::state ? manifest.states : manifest.globals).push_back(static_cast<int>(f));
  }
  for (const ir::Procedure& loss : c.program->losses) manifest.losses.push_back(loss.name);
  for (size_t k = 0; k < facts.sizes.size(); ++k) manifest.sizes.emplace_back(c.program->sizes[k].name, facts.sizes[k]);
  return manifest;
}

}  // namespace adjoule::driver
