// Memory of running procedures: buffers and stacks that generated code asks for. What is released stays here by size and is
// handed out again, so that a step allocates nothing after the first one. A pool belongs to one thread at a time.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "native.hpp"

namespace adjoule::runtime {

struct PoolStatistics {
  int64_t bytes_in_use = 0;    // buffers handed out, and the room of stacks
  int64_t peak_bytes = 0;      // the most that bytes_in_use has been
  int64_t bytes_kept = 0;      // released and waiting to be handed out again
  int64_t allocations = 0;     // asked from the system since the pool was made
};

struct Pool {
  Pool();
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  void* allocate(int64_t bytes);              // 64-byte aligned, at least 64 bytes; contents undefined
  void release(void* buffer);                 // null is fine
  NativeStack* new_stack(int64_t item_bytes, int64_t field_bytes);
  void grow(NativeStack* stack);              // room for at least one more item
  void release(NativeStack* stack);           // with the buffers still in it

  /// A place in the history of this pool; `release_since` frees what was handed out after it and is still out: what a
  /// procedure that ended in a fault has left behind.
  int64_t mark() const { return serial_; }
  void release_since(int64_t mark);
  bool owns(const void* buffer) const;        // is it handed out? (slow; for tests and for cleaning up after a fault)
  void trim();                                // gives back to the system what waits here

  const PoolStatistics& statistics() const { return statistics_; }
  void reset_peak() { statistics_.peak_bytes = statistics_.bytes_in_use; }

  // One header precedes each buffer and each stack, in a ring of all that are handed out.
  struct Header {
    Header* previous = nullptr;
    Header* next = nullptr;
    int64_t bytes = 0;
    int64_t serial = 0;
    bool is_stack = false;
  };

 private:
  Header used_;                               // the ring's fixed member
  std::unordered_map<int64_t, Header*> free_buffers_;   // by size, linked through `next`
  std::unordered_map<int64_t, Header*> free_stacks_;    // by item size
  int64_t serial_ = 0;
  PoolStatistics statistics_;

  void link(Header* header);
  void unlink(Header* header);
  void count(int64_t bytes);
  Header* take(std::unordered_map<int64_t, Header*>& lists, int64_t key);
};

}  // namespace adjoule::runtime
