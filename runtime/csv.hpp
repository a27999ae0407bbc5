// Columns of numbers from a .csv file with a header line.
#pragma once
#include <string>
#include <vector>

#include "adjoule/adjoule.hpp"

namespace adjoule::runtime {

/// The named columns as an array (rows, columns), or (rows) for one column. Cells may be quoted; empty lines and lines
/// that begin with # are skipped. Throws Error (wrong_use): file:line, the column and what stands there instead of a
/// number.
Array read_csv(const std::string& path, const std::vector<std::string>& columns);
Array parse_csv(const std::string& text, const std::string& name, const std::vector<std::string>& columns);

}  // namespace adjoule::runtime
