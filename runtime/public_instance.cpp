// The public class Instance: names, spans and shapes become what runtime::Instance wants.
#include <algorithm>

#include "adjoule/adjoule.hpp"
#include "instance.hpp"

namespace adjoule {
namespace {

template <typename T>
Array reals_of(std::span<const T> values, std::vector<int64_t> shape) {
  return Array::of_reals({values.begin(), values.end()}, std::move(shape));
}

template <typename T>
Array integers_of(std::span<const T> values, std::vector<int64_t> shape) {
  return Array::of_integers({values.begin(), values.end()}, std::move(shape));
}

Role role_of(FieldRole role) {
  switch (role) {
    case FieldRole::param: return Role::param;
    case FieldRole::input: return Role::input;
    default: return Role::state;
  }
}

}  // namespace

Instance::Instance(std::unique_ptr<runtime::Instance> implementation) : implementation_(std::move(implementation)) {}
Instance::Instance(Instance&&) noexcept = default;
Instance& Instance::operator=(Instance&&) noexcept = default;
Instance::~Instance() = default;

void Instance::bind(std::string_view name, std::span<const double> values, std::vector<int64_t> shape) {
  implementation_->bind(name, reals_of(values, std::move(shape)), "");
}
void Instance::bind(std::string_view name, std::span<const float> values, std::vector<int64_t> shape) {
  implementation_->bind(name, reals_of(values, std::move(shape)), "");
}
void Instance::bind(std::string_view name, std::span<const int32_t> values, std::vector<int64_t> shape) {
  implementation_->bind(name, integers_of(values, std::move(shape)), "");
}
void Instance::bind(std::string_view name, std::span<const int64_t> values, std::vector<int64_t> shape) {
  implementation_->bind(name, integers_of(values, std::move(shape)), "");
}
void Instance::bind(std::string_view name, double value) { implementation_->bind(name, Array::of(value), ""); }
void Instance::bind(std::string_view name, const Array& values, const std::string& source) {
  implementation_->bind(name, values, source);
}

void Instance::run(int64_t steps) { implementation_->run(steps); }
double Instance::loss(std::string_view name) { return implementation_->loss(implementation_->loss_index(name)); }

Gradient Instance::gradient(int64_t steps, const std::vector<std::string>& wrt, std::string_view loss) {
  return implementation_->gradient(steps, implementation_->loss_index(loss), implementation_->differentiable(wrt));
}

Tangent Instance::tangent(int64_t steps, const std::map<std::string, Array>& direction, std::string_view loss) {
  return implementation_->tangent(steps, implementation_->loss_index(loss), direction);
}

Array Instance::state(std::string_view name) const { return value(name); }
Array Instance::value(std::string_view name) const { return implementation_->value(implementation_->field(name)); }

std::vector<FieldDescription> Instance::fields() const {
  std::vector<FieldDescription> result;
  const runtime::Manifest& manifest = implementation_->manifest();
  for (const runtime::FieldSpec& field : manifest.fields) {
    FieldDescription d;
    d.name = field.name;
    d.role = role_of(field.role);
    d.type = field.type_text;
    for (SpaceId space : field.type.spaces) d.spaces.push_back(manifest.spaces[static_cast<size_t>(space)].name);
    d.differentiable = field.role != FieldRole::input && field.type.differentiable();
    d.has_default = field.has_default;
    result.push_back(std::move(d));
  }
  return result;
}

std::vector<std::string> Instance::losses() const { return implementation_->manifest().losses; }

std::map<std::string, int64_t> Instance::sizes() const {
  const auto& sizes = implementation_->manifest().sizes;
  return {sizes.begin(), sizes.end()};
}

Statistics Instance::statistics() const { return implementation_->statistics(); }

}  // namespace adjoule
