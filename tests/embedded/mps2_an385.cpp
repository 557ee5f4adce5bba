// SPDX-License-Identifier: BSL-1.0
// The machine is a Cortex-M3 without an operating system. Text and the exit code leave by
// semihosting, calls that the debugger (here: QEMU) answers. Everything a C++ program needs before
// main() is below. Source: Arm, "Semihosting for AArch32 and AArch64", operations SYS_WRITE0 and
// SYS_EXIT_EXTENDED.
#include "embedded/cut_on_chip.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
// From the linker script.
extern std::uint32_t data_image[], data_begin[], data_end[], bss_begin[], bss_end[], stack_begin[],
    stack_end[];
void start();
}

namespace {

std::uint32_t semihosting(std::uint32_t operation, const void* argument) {
  register std::uint32_t r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

[[noreturn]] void leave(std::uint32_t code) {
  const std::uint32_t argument[2] = {0x20026, code};  // ADP_Stopped_ApplicationExit
  for (;;) semihosting(0x20, argument);
}

[[noreturn]] void fault() {
  semihosting(0x04, "FAILED: the processor met a fault\n");
  leave(3);
}

using handler = void (*)();
// The first word is the stack, then where to start, then what happens on each fault.
[[gnu::section(".vectors"), gnu::used]] const struct {
  std::uint32_t* stack;
  handler handlers[15];
} vectors = {stack_end,
             {start, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault, fault,
              fault, fault, fault}};

constexpr std::uint32_t paint = 0xC0FFEE00;

}  // namespace

void say(const char* line) {
  semihosting(0x04, line);
  semihosting(0x04, "\n");
}

void start() {
  for (std::uint32_t *from = data_image, *to = data_begin; to < data_end;) *to++ = *from++;
  for (std::uint32_t* at = bss_begin; at < bss_end;) *at++ = 0;
  // Painted up to this frame: what is found unpainted at the end was used.
  std::uint32_t* here;
  asm volatile("mov %0, sp" : "=r"(here));
  for (volatile std::uint32_t* at = stack_begin; at < here; ++at) *at = paint;
  const bool done = cut_on_chip();
  std::uint32_t* lowest = stack_begin;
  while (*lowest == paint) ++lowest;
  char text[] = "# stack 00000 bytes";
  auto used = static_cast<std::uint32_t>(reinterpret_cast<char*>(stack_end) -
                                         reinterpret_cast<char*>(lowest));
  for (std::size_t digit = 12; digit >= 8; --digit, used /= 10)
    text[digit] = static_cast<char>('0' + used % 10);
  say(text);
  leave(done && lowest > stack_begin ? 0 : 1);
}
