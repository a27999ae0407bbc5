// What generated code calls: thin doors to the pool. Out of memory leaves as std::bad_alloc through no frame of ours that
// could handle it (generated code has no unwind tables), so it ends the process with a clear line instead.
#include "native.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>

#include "pool.hpp"

using adjoule::runtime::Context;
using adjoule::runtime::NativeStack;

namespace {

template <typename F>
auto or_end(F&& action) {
  try {
    return action();
  } catch (const std::bad_alloc&) {
    std::fputs("adjoule: out of memory\n", stderr);
    std::_Exit(3);
  }
}

}  // namespace

extern "C" {

void* adjoule_allocate(Context* context, int64_t bytes) {
  return or_end([&] { return context->pool->allocate(bytes); });
}

void adjoule_release(Context* context, void* buffer, int64_t) { context->pool->release(buffer); }

NativeStack* adjoule_stack_new(Context* context, int64_t item_bytes, int64_t field_bytes) {
  return or_end([&] { return context->pool->new_stack(item_bytes, field_bytes); });
}

void adjoule_stack_grow(Context* context, NativeStack* stack) {
  or_end([&] { context->pool->grow(stack); });
}

void adjoule_stack_release(Context* context, NativeStack* stack) { context->pool->release(stack); }
}
