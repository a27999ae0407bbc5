// The pool: size classes are exact sizes, since a program asks for the same few sizes over and over.
#include "pool.hpp"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace adjoule::runtime {
namespace {

constexpr int64_t alignment = 64;
static_assert(sizeof(Pool::Header) <= alignment);

struct StackBlock {
  Pool::Header header;
  NativeStack stack;
};

int64_t rounded(int64_t bytes) { return bytes <= alignment ? alignment : (bytes + alignment - 1) / alignment * alignment; }
char* payload(Pool::Header* header) { return reinterpret_cast<char*>(header) + alignment; }
Pool::Header* header_of(void* buffer) { return reinterpret_cast<Pool::Header*>(static_cast<char*>(buffer) - alignment); }
StackBlock* block_of(Pool::Header* header) { return reinterpret_cast<StackBlock*>(header); }
StackBlock* block_of(NativeStack* stack) {
  return reinterpret_cast<StackBlock*>(reinterpret_cast<char*>(stack) - offsetof(StackBlock, stack));
}
int64_t room(const NativeStack& stack) { return stack.capacity * stack.item_bytes; }

void destroy(StackBlock* block) {
  std::free(block->stack.data);
  delete block;
}

}  // namespace

Pool::Pool() { used_.previous = used_.next = &used_; }

Pool::~Pool() {
  release_since(-1);
  trim();
}

void Pool::link(Header* header) {
  header->serial = ++serial_;
  header->previous = used_.previous;
  header->next = &used_;
  used_.previous->next = header;
  used_.previous = header;
}

void Pool::unlink(Header* header) {
  header->previous->next = header->next;
  header->next->previous = header->previous;
  header->previous = nullptr;
}

void Pool::count(int64_t bytes) {
  statistics_.bytes_in_use += bytes;
  if (statistics_.bytes_in_use > statistics_.peak_bytes) statistics_.peak_bytes = statistics_.bytes_in_use;
}

Pool::Header* Pool::take(std::unordered_map<int64_t, Header*>& lists, int64_t key) {
  auto found = lists.find(key);
  if (found == lists.end() || !found->second) return nullptr;
  Header* header = found->second;
  found->second = header->next;
  return header;
}

void* Pool::allocate(int64_t bytes) {
  bytes = rounded(bytes);
  Header* header = take(free_buffers_, bytes);
  if (header) {
    statistics_.bytes_kept -= bytes;
  } else {
    void* memory = std::aligned_alloc(static_cast<size_t>(alignment), static_cast<size_t>(bytes + alignment));
    if (!memory) throw std::bad_alloc();
    header = new (memory) Header();
    header->bytes = bytes;
    ++statistics_.allocations;
  }
  link(header);
  count(bytes);
  return payload(header);
}

void Pool::release(void* buffer) {
  if (!buffer) return;
  Header* header = header_of(buffer);
  unlink(header);
  Header*& list = free_buffers_[header->bytes];
  header->next = list;
  list = header;
  statistics_.bytes_in_use -= header->bytes;
  statistics_.bytes_kept += header->bytes;
}

NativeStack* Pool::new_stack(int64_t item_bytes, int64_t field_bytes) {
  Header* header = take(free_stacks_, item_bytes);
  StackBlock* block = header ? block_of(header) : new StackBlock();
  if (header) statistics_.bytes_kept -= room(block->stack);
  block->header.is_stack = true;
  block->stack.size = 0;
  block->stack.item_bytes = item_bytes;
  block->stack.field_bytes = field_bytes;
  link(&block->header);
  count(room(block->stack));
  return &block->stack;
}

void Pool::grow(NativeStack* stack) {
  int64_t capacity = stack->capacity == 0 ? 16 : stack->capacity * 2;
  void* data = std::realloc(stack->data, static_cast<size_t>(capacity * stack->item_bytes));
  if (!data) throw std::bad_alloc();
  int64_t before = room(*stack);
  stack->data = static_cast<char*>(data);
  stack->capacity = capacity;
  count(room(*stack) - before);
  ++statistics_.allocations;
}

void Pool::release(NativeStack* stack) {
  if (!stack) return;
  if (stack->field_bytes != 0) {
    auto** buffers = reinterpret_cast<void**>(stack->data);
    for (int64_t i = 0; i < stack->size; ++i) release(buffers[i]);
  }
  StackBlock* block = block_of(stack);
  unlink(&block->header);
  Header*& list = free_stacks_[stack->item_bytes];
  block->header.next = list;
  list = &block->header;
  statistics_.bytes_in_use -= room(*stack);
  statistics_.bytes_kept += room(*stack);
}

void Pool::release_since(int64_t mark) {
  // Stacks first, and without what they hold: those buffers are in the ring themselves.
  for (Header* h = used_.next; h != &used_;) {
    Header* next = h->next;
    if (h->is_stack && h->serial > mark) {
      NativeStack& stack = block_of(h)->stack;
      stack.size = 0;
      release(&stack);
    }
    h = next;
  }
  for (Header* h = used_.next; h != &used_;) {
    Header* next = h->next;
    if (!h->is_stack && h->serial > mark) release(static_cast<void*>(payload(h)));
    h = next;
  }
}

bool Pool::owns(const void* buffer) const {
  for (Header* h = used_.next; h != &used_; h = h->next) {
    if (h->is_stack ? &block_of(h)->stack == buffer : payload(h) == buffer) return true;
  }
  return false;
}

void Pool::trim() {
  for (auto& [bytes, list] : free_buffers_) {
    while (Header* header = take(free_buffers_, bytes)) std::free(header);
  }
  for (auto& [bytes, list] : free_stacks_) {
    while (Header* header = take(free_stacks_, bytes)) destroy(block_of(header));
  }
  statistics_.bytes_kept = 0;
}

}  // namespace adjoule::runtime
