// SPDX-License-Identifier: BSL-1.0
/// @file inject.cpp
/// Preloaded into the program: one of the C library's calls in main() fails, the FAULT_AT-th or
/// each from then on, as the environment says.
///
/// | variable | value |
/// | --- | --- |
/// | FAULT_CALL | `malloc`, `dl_malloc` (of dlopen()), `calloc`, `realloc`, `open`, `fopen`, `read`, `short_read`, `pread`, `short_pread`, `write`, `short_write`, `empty_write` (of 0 bytes), `pwrite`, `short_pwrite`, `empty_pwrite`, `fsync`, `stat`, `flock`, `rename`, `renameat2`, `mkdir`, `rmdir`, `unlink`, `opendir`, `readdir`, `ftruncate`, `fallocate`, `mmap`, `close`, `thread` |
/// | FAULT_AT | which call, from 1; 0: none |
/// | FAULT_ERRNO | what it reports |
/// | FAULT_PERSISTS | set: all later ones fail, too |
/// | FAULT_COUNT | a file that gets the number of calls at the end |
///
/// A test that looks them up (arming.hpp) arms faults in its own process instead.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);
extern "C" void* __libc_realloc(void* before, std::size_t bytes);

namespace {

std::atomic<long> calls{0};
long fails_at = 0;
bool persists = false;
int reported = EIO;
char failing[24] = "";

[[gnu::constructor]] void read_environment() {
  if (const char* at = std::getenv("FAULT_AT")) fails_at = std::atol(at);
  if (const char* number = std::getenv("FAULT_ERRNO")) reported = std::atoi(number);
  persists = std::getenv("FAULT_PERSISTS") != nullptr;
  if (const char* call = std::getenv("FAULT_CALL"))
    std::snprintf(failing, sizeof failing, "%s", call);
}

[[gnu::destructor]] void write_count() {
  const char* path = std::getenv("FAULT_COUNT");
  if (path == nullptr) return;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  char text[24];
  const int bytes = std::snprintf(text, sizeof text, "%ld\n", calls.load());
  if (file >= 0 && bytes > 0) syscall(SYS_write, file, text, bytes);
}

// Calls of dlopen() that this thread is in; of a model that needs no memory.
[[gnu::tls_model("initial-exec")]] thread_local int opening = 0;

// The program's statics, such as those of its command line library, take memory before main().
bool in_main = false;
int (*real_main)(int, char**, char**) = nullptr;
int counted_main(int count, char** arguments, char** environment) {
  in_main = true;
  return real_main(count, arguments, environment);
}

bool fails(const char* call) {
  if (!in_main || std::strcmp(failing, call) != 0) return false;
  const long now = ++calls;
  const bool hit = fails_at != 0 && (persists ? now >= fails_at : now == fails_at);
  if (hit) errno = reported;
  return hit;
}

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

mode_t mode_of(int flags, std::va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(arguments, int)) : 0;
}

}  // namespace

// The C library's headers declare these with attributes of their own.
#define FAULT_REAL(name) static const auto next = real<decltype(&::name)>(#name)
#define FAULT_CALL_1(name, call, type, first)        \
  type name(first a) noexcept(noexcept(::name(a))) { \
    FAULT_REAL(name);                                \
    return fails(call) ? type(-1) : next(a);         \
  }
#define FAULT_CALL_2(name, call, type, first, second)             \
  type name(first a, second b) noexcept(noexcept(::name(a, b))) { \
    FAULT_REAL(name);                                             \
    return fails(call) ? type(-1) : next(a, b);                   \
  }

extern "C" {

void faults_arm(const char* call, long at, int number, bool every_later_one) {
  std::snprintf(failing, sizeof failing, "%s", call);
  calls = 0;
  fails_at = at;
  reported = number;
  persists = every_later_one;
}
long faults_disarm() {
  failing[0] = '\0';
  return calls.load();
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments,
                      void (*begin)(), void (*end)(), void (*unload)(), void* stack) {
  static const auto next = real<decltype(&__libc_start_main)>("__libc_start_main");
  real_main = main;
  return next(counted_main, count, arguments, begin, end, unload, stack);
}

void* malloc(std::size_t bytes) noexcept {
  return fails("malloc") || (opening != 0 && fails("dl_malloc")) ? nullptr : __libc_malloc(bytes);
}
void* dlopen(const char* file, int mode) noexcept(noexcept(::dlopen(file, mode))) {
  FAULT_REAL(dlopen);
  ++opening;
  void* const out = next(file, mode);
  --opening;
  return out;
}

void* calloc(std::size_t count, std::size_t bytes) noexcept {
  return fails("calloc") ? nullptr : __libc_calloc(count, bytes);
}
void* realloc(void* before, std::size_t bytes) noexcept {
  return fails("realloc") ? nullptr : __libc_realloc(before, bytes);
}

FAULT_CALL_1(fsync, "fsync", int, int)
FAULT_CALL_2(stat, "stat", int, const char*, struct stat*)
FAULT_CALL_2(lstat, "stat", int, const char*, struct stat*)
FAULT_CALL_2(fstat, "stat", int, int, struct stat*)
FAULT_CALL_1(rmdir, "rmdir", int, const char*)
FAULT_CALL_2(flock, "flock", int, int, int)
FAULT_CALL_1(fdatasync, "fsync", int, int)
FAULT_CALL_1(unlink, "unlink", int, const char*)
FAULT_CALL_1(remove, "unlink", int, const char*)
FAULT_CALL_2(rename, "rename", int, const char*, const char*)
FAULT_CALL_2(mkdir, "mkdir", int, const char*, mode_t)
FAULT_CALL_2(ftruncate, "ftruncate", int, int, off_t)

int close(int file) {
  FAULT_REAL(close);
  const int answer = next(file);  // closed even where that is reported as an error
  return fails("close") ? -1 : answer;
}
ssize_t read(int file, void* to, std::size_t bytes) {
  FAULT_REAL(read);
  if (fails("read")) return -1;
  return next(file, to, bytes > 1 && fails("short_read") ? bytes / 2 : bytes);
}
ssize_t pread(int file, void* to, std::size_t bytes, off_t at) {
  FAULT_REAL(pread);
  if (fails("pread")) return -1;
  return next(file, to, bytes > 1 && fails("short_pread") ? bytes / 2 : bytes, at);
}
ssize_t write(int file, const void* from, std::size_t bytes) {
  FAULT_REAL(write);
  if (file <= STDERR_FILENO) return next(file, from, bytes);
  if (fails("write")) return -1;
  if (fails("empty_write")) return 0;
  return next(file, from, bytes > 1 && fails("short_write") ? bytes / 2 : bytes);
}
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t at) {
  FAULT_REAL(pwrite);
  if (fails("pwrite")) return -1;
  if (fails("empty_pwrite")) return 0;
  return next(file, from, bytes > 1 && fails("short_pwrite") ? bytes / 2 : bytes, at);
}
int posix_fallocate(int file, off_t at, off_t bytes) {
  FAULT_REAL(posix_fallocate);
  return fails("fallocate") ? reported : next(file, at, bytes);
}
int fallocate(int file, int mode, off_t at, off_t bytes) {
  FAULT_REAL(fallocate);
  return fails("fallocate") ? -1 : next(file, mode, at, bytes);
}
void* mmap(void* place, std::size_t bytes, int protection, int flags, int file, off_t at) noexcept {
  FAULT_REAL(mmap);
  return fails("mmap") ? MAP_FAILED : next(place, bytes, protection, flags, file, at);
}
int open(const char* path, int flags, ...) {
  FAULT_REAL(open);
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails("open") ? -1 : next(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  FAULT_REAL(openat);
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return fails("open") ? -1 : next(folder, path, flags, mode);
}
int fstatat(int folder, const char* path, struct stat* info, int flags) noexcept {
  FAULT_REAL(fstatat);
  return fails("stat") ? -1 : next(folder, path, info, flags);
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  FAULT_REAL(unlinkat);
  return fails("unlink") ? -1 : next(folder, path, flags);
}
// std::ofstream opens its files with fopen, std::ifstream, too.
FILE* fopen(const char* path, const char* mode) {
  FAULT_REAL(fopen);
  return fails("fopen") ? nullptr : next(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  FAULT_REAL(fopen64);
  return fails("fopen") ? nullptr : next(path, mode);
}
DIR* opendir(const char* path) {
  FAULT_REAL(opendir);
  return fails("opendir") ? nullptr : next(path);
}
dirent* readdir(DIR* folder) {
  FAULT_REAL(readdir);
  return fails("readdir") ? nullptr : next(folder);
}
dirent64* readdir64(DIR* folder) {
  FAULT_REAL(readdir64);
  return fails("readdir") ? nullptr : next(folder);
}
long syscall(long number, ...) noexcept {
  FAULT_REAL(syscall);
  std::va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& one : a) one = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_renameat2 && fails("renameat2")) return -1;
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) noexcept {
  FAULT_REAL(pthread_create);
  return fails("thread") ? EAGAIN : next(thread, attributes, run, argument);
}

}  // extern "C"
