// What a command says when it is done: text for people, or one JSON object.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "driver/options.hpp"

namespace adjoule::driver {

using Json = nlohmann::ordered_json;

/// A number for a single number; else shape, norm, min and max (and the values of up to 16 numbers without a space).
Json summary(const Array& array, bool single_value);
/// The same on one line: "= 3.5", "(16, 2)  norm 1.2  min -3  max 4".
std::string summary_text(const Array& array, bool single_value);

/// file, real, steps, sizes; compile and run times and peak bytes are added by `finish`.
Json begin_report(const Session& session, const std::string& file, const char* command);
void finish_report(Json& report, const Session& session);
void print_report(const Json& report);

bool is_single_value(const Session& session, const std::string& name);

/// "compiled in 0.12 s, ran 200 steps in 0.03 s, peak 1.2 MiB"
std::string closing_line(const Session& session, bool gradient);

/// Throws Error (failed_run) when a loss or a state at the end is NaN: says in which step and field it began.
void refuse_nan(Session& session, const std::vector<double>& losses);

}  // namespace adjoule::driver
