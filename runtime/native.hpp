// The contract between generated code and the runtime. A compiled procedure is
//     int32_t name(Context*, const Slot* inputs, Slot* outputs)      0: done; 1: a fault is recorded in the context
// Values are flattened into slots: one a scalar component (real: `real`, or `single` under --real f32; int, bool and each
// coordinate of a reference: `integer`), one `pointer` for a field (its buffer) or a stack (a NativeStack).
//
// A field's buffer is structure-of-arrays: component c of element i (row-major over the field's spaces) lies at
//     base + c * stride + i * scalar_bytes,  stride = round_up(elements * scalar_bytes, 64) bytes, base aligned to 64.
// real: 8 bytes (4 under f32); int and reference numbers: 4 (references: -1 is outside); bool: 1.
#pragma once
#include <cstdint>

namespace adjoule::runtime {

union Slot {
  double real;
  float single;
  int32_t integer;
  void* pointer;
};
static_assert(sizeof(Slot) == 8);

/// A growable last-in first-out store. Items have a fixed size: the flattened components (8 bytes a scalar), or one pointer
/// to a field buffer of `field_bytes` bytes.
struct NativeStack {
  char* data = nullptr;
  int64_t size = 0;          // items
  int64_t capacity = 0;      // items
  int64_t item_bytes = 0;
  int64_t field_bytes = 0;   // 0: holds values
};

struct Pool;                 // free buffers by size, kept between calls (pool.hpp)

/// The order of these members is known to the code generator (codegen/cpu).
struct Context {
  const int32_t* extents = nullptr;   // extents[space * 3 + axis]; unused axes are 1; `time` has steps + 1
  int32_t steps = 0;
  int32_t fault_site = -1;            // index into the module's fault sites
  int64_t fault_value = 0;            // the offending index
  int64_t fault_extent = 0;           // the bound that it broke
  Pool* pool = nullptr;
  volatile int32_t* stop = nullptr;   // set by Ctrl-C: long loops may end early with a fault of site -2
};

using NativeFunction = int32_t (*)(Context*, const Slot*, Slot*);

inline int64_t padded_bytes(int64_t elements, int64_t scalar_bytes) { return (elements * scalar_bytes + 63) / 64 * 64; }

}  // namespace adjoule::runtime

// What generated code calls.
extern "C" {
void* adjoule_allocate(adjoule::runtime::Context*, int64_t bytes);            // 64-byte aligned, contents undefined
void adjoule_release(adjoule::runtime::Context*, void* buffer, int64_t bytes);
adjoule::runtime::NativeStack* adjoule_stack_new(adjoule::runtime::Context*, int64_t item_bytes, int64_t field_bytes);
void adjoule_stack_grow(adjoule::runtime::Context*, adjoule::runtime::NativeStack*);   // room for at least one more item
void adjoule_stack_release(adjoule::runtime::Context*, adjoule::runtime::NativeStack*);  // with the buffers still in it
// Adds the full blocks of 1024 among `count` values to `total`, each summed in 16 lanes (ir/reductions.hpp); moves the rest
// to the front, or, when `last`, adds it too, as a short block.
double adjoule_sum_f64(double* values, int64_t count, int32_t last, double total);
double adjoule_sum_f32(float* values, int64_t count, int32_t last, double total);
}
