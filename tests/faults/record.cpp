// SPDX-License-Identifier: BSL-1.0
/// @file record.cpp
/// Preloaded into the program: writes down each call that changes files below RECORD_ROOT, and what
/// it wrote, to the file RECORD_TO. crash_states.cpp reads it.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "operation.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <climits>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

template <class Function>
Function real(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}
#define REAL(name) static const auto next = real<decltype(&::name)>(#name)

struct recorder {
  std::string root{};
  int log = -1;
  std::mutex one_at_a_time{};
  std::set<std::string> mapped{};  // files that are written through memory, too

  recorder() {
    const char* const to = std::getenv("RECORD_TO");
    const char* const below = std::getenv("RECORD_ROOT");
    if (to == nullptr || below == nullptr) return;
    root = std::string(below) + "/";
    log = static_cast<int>(
        syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  }
  bool covers(const std::string& path) const { return log >= 0 && path.starts_with(root); }
  void put(char kind, const std::string& path, const std::string& other = {},
           std::uint64_t offset = 0, std::uint64_t size = 0, std::string_view data = {}) {
    const crash::header head{
        kind,
        static_cast<std::uint32_t>(path.size() - root.size()),
        static_cast<std::uint32_t>(other.empty() ? 0 : other.size() - root.size()),
        offset,
        size,
        data.size()};
    std::string all(reinterpret_cast<const char*>(&head), sizeof head);
    all += path.substr(root.size());
    if (!other.empty()) all += other.substr(root.size());
    all += data;
    const std::scoped_lock lock(one_at_a_time);
    for (std::size_t done = 0; done < all.size();) {
      const long written = syscall(SYS_write, log, all.data() + done, all.size() - done);
      if (written <= 0) std::abort();
      done += static_cast<std::size_t>(written);
    }
  }
};

recorder& to_log() {
  static auto* const one = new recorder;  // used until the process ends
  return *one;
}

/// The absolute path of a name whose folder exists; "" where it does not.
std::string absolute(int folder, const char* name) {
  std::string path(name);
  if (path.empty()) return {};
  char resolved[PATH_MAX];
  if (path[0] != '/' && folder != AT_FDCWD) {
    const std::string link = "/proc/self/fd/" + std::to_string(folder);
    if (::realpath(link.c_str(), resolved) == nullptr) return {};
    path = std::string(resolved) + "/" + path;
  }
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const auto slash = path.rfind('/');
  const std::string above = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::realpath(above.c_str(), resolved) == nullptr) return {};
  return std::string(resolved) + "/" + (slash == std::string::npos ? path : path.substr(slash + 1));
}

/// The path of an open file; "" where it has none any more.
std::string path_of(int file) {
  char path[PATH_MAX];
  const auto bytes = ::readlink(("/proc/self/fd/" + std::to_string(file)).c_str(), path,
                                sizeof path);
  if (bytes <= 0) return {};
  std::string out(path, static_cast<std::size_t>(bytes));
  return out.ends_with(" (deleted)") ? std::string() : out;
}

void wrote(int file, const void* from, ssize_t bytes, off_t at) {
  const std::string path = path_of(file);
  if (bytes > 0 && to_log().covers(path))
    to_log().put('W', path, {}, static_cast<std::uint64_t>(at), 0,
                 {static_cast<const char*>(from), static_cast<std::size_t>(bytes)});
}
void resized(char kind, int file, off_t size) {
  const std::string path = path_of(file);
  if (to_log().covers(path)) to_log().put(kind, path, {}, 0, static_cast<std::uint64_t>(size));
}
void synced(int file) {
  std::string path = path_of(file);
  recorder& to = to_log();
  if (to.log < 0 || !to.covers(path + "/")) return;
  if (to.mapped.contains(path)) {
    struct stat what;
    if (::fstat(file, &what) != 0) std::abort();
    std::string all(static_cast<std::size_t>(what.st_size), '\0');
    if (::pread(file, all.data(), all.size(), 0) == static_cast<ssize_t>(all.size()))
      to.put('W', path, {}, 0, 0, all);
  }
  to.put('S', path.size() < to.root.size() ? path + "/" : path);
}
void named(char kind, const std::string& path, const std::string& other = {}) {
  if (to_log().covers(path)) to_log().put(kind, path, other);
}
bool exists(const std::string& path) {
  struct stat what;
  return ::lstat(path.c_str(), &what) == 0;
}

/// open and openat.
template <class Open>
int opened(int folder, const char* name, int flags, const Open& open) {
  if ((flags & (O_CREAT | O_TRUNC)) == 0 || (flags & O_TMPFILE) == O_TMPFILE) return open();
  const std::string path = absolute(folder, name);
  const bool is_new = !exists(path);
  const int file = open();
  if (file >= 0 && is_new) named('C', path);
  if (file >= 0 && !is_new && (flags & O_TRUNC) != 0) resized('T', file, 0);
  return file;
}

template <class Open>
FILE* opened_stream(const char* name, const char* mode, const Open& open) {
  if (mode[0] != 'w') return open();
  const std::string path = absolute(AT_FDCWD, name);
  const bool is_new = !exists(path);
  FILE* const file = open();
  if (file != nullptr && is_new) named('C', path);
  if (file != nullptr && !is_new) resized('T', ::fileno(file), 0);
  return file;
}

/// A copy from another file: what it has written is what that file holds.
template <class Send>
ssize_t sent(int file, int from, const off64_t* offset, const Send& send) {
  const off_t to = ::lseek(file, 0, SEEK_CUR),
              begin = offset != nullptr ? *offset : ::lseek(from, 0, SEEK_CUR);
  const ssize_t done = send();
  std::string all(done > 0 ? static_cast<std::size_t>(done) : 0, '\0');
  if (to >= 0 && !all.empty() && ::pread(from, all.data(), all.size(), begin) == done)
    wrote(file, all.data(), done, to);
  return done;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  REAL(open);
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  return opened(AT_FDCWD, path, flags, [&] { return next(path, flags, mode); });
}
int openat(int folder, const char* path, int flags, ...) {
  REAL(openat);
  std::va_list arguments;
  va_start(arguments, flags);
  const auto mode = static_cast<mode_t>(va_arg(arguments, int));
  va_end(arguments);
  return opened(folder, path, flags, [&] { return next(folder, path, flags, mode); });
}
ssize_t write(int file, const void* from, std::size_t bytes) {
  REAL(write);
  const off_t at = ::lseek(file, 0, SEEK_CUR);
  const ssize_t done = next(file, from, bytes);
  if (at >= 0) wrote(file, from, done, at);
  return done;
}
// std::ofstream opens its files with fopen, which calls no other function that could be seen here.
FILE* fopen(const char* name, const char* mode) {
  REAL(fopen);
  return opened_stream(name, mode, [&] { return next(name, mode); });
}
FILE* fopen64(const char* name, const char* mode) {
  REAL(fopen64);
  return opened_stream(name, mode, [&] { return next(name, mode); });
}
ssize_t writev(int file, const iovec* pieces, int count) {
  REAL(writev);
  const off_t at = ::lseek(file, 0, SEEK_CUR);
  const ssize_t done = next(file, pieces, count);
  std::string all;
  for (int i = 0; i < count; ++i)
    all.append(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
  if (at >= 0) wrote(file, all.data(), done, at);
  return done;
}
ssize_t pwrite(int file, const void* from, std::size_t bytes, off_t at) {
  REAL(pwrite);
  const ssize_t done = next(file, from, bytes, at);
  wrote(file, from, done, at);
  return done;
}
// std::filesystem::copy_file copies with it.
ssize_t sendfile(int file, int from, off_t* offset, std::size_t bytes) noexcept {
  REAL(sendfile);
  return sent(file, from, offset, [&] { return next(file, from, offset, bytes); });
}
ssize_t sendfile64(int file, int from, off64_t* offset, std::size_t bytes) noexcept {
  REAL(sendfile64);
  return sent(file, from, offset, [&] { return next(file, from, offset, bytes); });
}
int posix_fallocate(int file, off_t at, off_t bytes) {
  REAL(posix_fallocate);
  const int answer = next(file, at, bytes);
  if (answer == 0) resized('A', file, at + bytes);
  return answer;
}
int fallocate(int file, int mode, off_t at, off_t bytes) {
  REAL(fallocate);
  const int answer = next(file, mode, at, bytes);
  if (answer == 0 && mode == 0) resized('A', file, at + bytes);
  return answer;
}
int ftruncate(int file, off_t size) noexcept {
  REAL(ftruncate);
  const int answer = next(file, size);
  if (answer == 0) resized('T', file, size);
  return answer;
}
int fsync(int file) {
  REAL(fsync);
  const int answer = next(file);
  if (answer == 0) synced(file);
  return answer;
}
int fdatasync(int file) {
  REAL(fdatasync);
  const int answer = next(file);
  if (answer == 0) synced(file);
  return answer;
}
void* mmap(void* place, std::size_t bytes, int protection, int flags, int file, off_t at) noexcept {
  REAL(mmap);
  if (file >= 0 && (flags & MAP_SHARED) != 0 && (protection & PROT_WRITE) != 0) {
    const std::string path = path_of(file);
    if (to_log().covers(path)) to_log().mapped.insert(path);
  }
  return next(place, bytes, protection, flags, file, at);
}
int mkdir(const char* name, mode_t mode) noexcept {
  REAL(mkdir);
  const int answer = next(name, mode);
  if (answer == 0) named('M', absolute(AT_FDCWD, name));
  return answer;
}
int rename(const char* from, const char* to) noexcept {
  REAL(rename);
  const std::string before = absolute(AT_FDCWD, from), after = absolute(AT_FDCWD, to);
  const int answer = next(from, to);
  if (answer == 0) named('R', before, after);
  return answer;
}
int link(const char* from, const char* to) noexcept {
  REAL(link);
  const int answer = next(from, to);
  if (answer == 0) named('L', absolute(AT_FDCWD, from), absolute(AT_FDCWD, to));
  return answer;
}
int unlink(const char* name) noexcept {
  REAL(unlink);
  const std::string path = absolute(AT_FDCWD, name);
  const int answer = next(name);
  if (answer == 0) named('U', path);
  return answer;
}
int rmdir(const char* name) noexcept {
  REAL(rmdir);
  const std::string path = absolute(AT_FDCWD, name);
  const int answer = next(name);
  if (answer == 0) named('U', path);
  return answer;
}
int remove(const char* name) noexcept {
  REAL(remove);
  const std::string path = absolute(AT_FDCWD, name);
  const int answer = next(name);
  if (answer == 0) named('U', path);
  return answer;
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  REAL(unlinkat);
  const std::string path = absolute(folder, name);
  const int answer = next(folder, name, flags);
  if (answer == 0) named('U', path);
  return answer;
}
long syscall(long number, ...) noexcept {
  REAL(syscall);
  std::va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& one : a) one = va_arg(arguments, long);
  va_end(arguments);
  if (number != SYS_renameat2) return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  const std::string before = absolute(static_cast<int>(a[0]), reinterpret_cast<const char*>(a[1])),
                    after = absolute(static_cast<int>(a[2]), reinterpret_cast<const char*>(a[3]));
  const long answer = next(number, a[0], a[1], a[2], a[3], a[4]);
  if (answer == 0) named(a[4] == RENAME_EXCHANGE ? 'X' : 'R', before, after);
  return answer;
}

}  // extern "C"
