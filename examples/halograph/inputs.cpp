// SPDX-License-Identifier: BSL-1.0
#include "inputs.hpp"
#include "progress.hpp"

#include <halograph/adapters/boost_interprocess.hpp>
#if defined(HALOGRAPH_WITH_ZLIB)
#include <halograph/adapters/zlib.hpp>
#endif
#if defined(HALOGRAPH_WITH_ZSTD)
#include <halograph/adapters/zstd.hpp>
#endif
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/unpacked.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace halograph::cli {

namespace {

/// A mapping that the handler of SIGBUS knows. Made once and used again; never freed, since the
/// handler walks the list.
struct watched_mapping {
  std::atomic<const std::byte*> begin{nullptr};  // null: not in use
  std::atomic<std::size_t> bytes{0};
  std::string path{};  // written while not in use
  watched_mapping* next = nullptr;
  watched_mapping* next_unused = nullptr;
};

std::atomic<watched_mapping*> first_mapping{nullptr}, lost_mapping{nullptr};
std::atomic<bool> watched{false};  ///< is there a watcher that asks for lost_file()?
std::mutex unused_mutex;
watched_mapping* first_unused = nullptr;

/// The lost part of a mapped file was touched. This thread cannot go on: it waits while the watcher
/// of progress.cpp, which asks for lost_file(), ends the run; without a watcher the signal ends it.
/// Nothing here may take a lock or memory.
void on_bus_error(int, siginfo_t* info, void*) {
  const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (auto* one = first_mapping.load(); one != nullptr; one = one->next) {
    const auto begin = reinterpret_cast<std::uintptr_t>(one->begin.load());
    if (begin == 0 || at < begin || at - begin >= one->bytes.load()) continue;
    if (!watched.load()) break;
    watched_mapping* none = nullptr;
    lost_mapping.compare_exchange_strong(none, one);
    for (;;) ::pause();
  }
  std::signal(SIGBUS,
              SIG_DFL);  // not ours, or nobody to end the run: touched again, it ends the process
}

watched_mapping* watch_mapping(std::span<const std::byte> bytes, const std::string& path) {
  const std::lock_guard lock(unused_mutex);
  static const bool handled = [] {
    struct sigaction handler{};
    handler.sa_sigaction = on_bus_error;
    handler.sa_flags = SA_SIGINFO;
    return ::sigaction(SIGBUS, &handler, nullptr) == 0;
  }();
  static_cast<void>(handled);
  watched_mapping* one = nullptr;
  if (first_unused == nullptr) {
    one = new watched_mapping;
    one->next = first_mapping.load();
    first_mapping.store(one);
  } else {
    one = std::exchange(first_unused, first_unused->next_unused);
  }
  one->path = path;
  one->bytes.store(bytes.size());
  one->begin.store(bytes.data());
  return one;
}

void forget_mapping(watched_mapping* one) {
  one->begin.store(nullptr);
  const std::lock_guard lock(unused_mutex);
  one->next_unused = std::exchange(first_unused, one);
}

/// Maps files, and has the mappings watched.
struct watched_files {
  file_bytes operator()(const std::string& path) const;
};

file_bytes watched_files::operator()(const std::string& path) const {
  const mapped_files map;
  file_bytes opened = map(path);
  if (opened.bytes.size() <= map.small) return opened;  // read, not mapped
  struct watched_file {
    file_bytes file;
    watched_mapping* mapping;
    watched_file(file_bytes opened_, const std::string& path_)
        : file(std::move(opened_)), mapping(watch_mapping(file.bytes, path_)) {}
    watched_file(const watched_file&) = delete;
    watched_file& operator=(const watched_file&) = delete;
    ~watched_file() { forget_mapping(mapping); }
  };
  const auto bytes = opened.bytes;
  return {bytes, std::make_shared<const watched_file>(std::move(opened), path)};
}

/// The same, with their bytes counted for the rates of progress.hpp.
struct counted_files {
  file_bytes operator()(const std::string& path) const {
    auto opened = watched_files{}(path);
    count_bytes(opened.bytes.size());
    return opened;
  }
};

/// Opens files as Inner does, and keeps the record of the run.
template <file_opener Inner>
any_file_opener recorded(Inner through, bool of_amended = false) {
  return recorded_files<Inner>{inputs_of_this_run(), std::move(through), of_amended};
}

[[noreturn, maybe_unused]] void raise_no_library(const std::string& file, const char* library,
                                                 const char* command) {
  raise(error_kind::unsupported,
        std::string("is compressed, and this program was built without ") + library +
            "; decompress it with " + command + " first",
        {.file = file});
}

// What reads compressed files; where the library was not found, what says so.
#if defined(HALOGRAPH_WITH_ZLIB)
using gzip_input = gzip_reader;
#else
struct gzip_input {
  static constexpr std::string_view ending = ".gz";
  gzip_input(std::span<const std::byte>, const std::string& file) {
    raise_no_library(file, "zlib", "gunzip");
  }
  std::size_t read(std::span<std::byte>) { return 0; }
};
#endif
#if defined(HALOGRAPH_WITH_ZSTD)
using zstd_input = zstd_reader;
#else
struct zstd_input {
  static constexpr std::string_view ending = ".zst";
  zstd_input(std::span<const std::byte>, const std::string& file) {
    raise_no_library(file, "Zstandard", "unzstd");
  }
  std::size_t read(std::span<std::byte>) { return 0; }
};
#endif
static_assert(gzip_input::ending == packed_endings[0] && zstd_input::ending == packed_endings[1]);

template <class Reader>
unpacked_blocks blocks_of(const std::string& path) {
  struct opened {
    file_bytes packed;
    Reader reader;
    explicit opened(const std::string& file)
        : packed(folder_files()(file)), reader(packed.bytes, file) {}
  };
  return [file = std::make_shared<opened>(path)](std::span<std::byte> out) {
    return file->reader.read(out);
  };
}

}  // namespace

any_file_opener input_files() {
  using zstd_files = unpacked_files<zstd_input, counted_files>;
  return recorded(
      unpacked_files<gzip_input, zstd_files>{zstd_files{{}, &available_memory}, &available_memory});
}
any_file_opener files_with_scratch(const std::string& folder) {
  using zstd_files = spilled_files<zstd_input, counted_files>;
  return recorded(spilled_files<gzip_input, zstd_files>{zstd_files{{}, folder}, folder});
}
unpacked_blocks open_packed(const std::string& path) {
  if (path.ends_with(gzip_input::ending)) return blocks_of<gzip_input>(path);
  if (path.ends_with(zstd_input::ending)) return blocks_of<zstd_input>(path);
  return {};
}
any_file_opener folder_files(bool of_amended) { return recorded(watched_files{}, of_amended); }
any_file_opener own_files() { return watched_files{}; }

void wait_for_lost_files() noexcept { watched.store(true); }

std::optional<std::string> lost_file() {
  const auto* const lost = lost_mapping.load();
  return lost == nullptr ? std::nullopt : std::optional(lost->path);
}

const std::shared_ptr<input_record>& inputs_of_this_run() {
  static const auto record = std::make_shared<input_record>();
  return record;
}

namespace {

/// Hidden files and folders that this process has open and whose names end so.
std::vector<std::filesystem::path> open_here(std::initializer_list<std::string_view> endings) {
  std::vector<std::filesystem::path> out;
  std::vector<std::string> descriptors;
  try {
    descriptors = detail::names_in("/proc/self/fd");
  } catch (const error&) {
    return out;  // the next run removes what is left
  }
  for (const auto& number : descriptors) {
    std::error_code problem;
    auto place = std::filesystem::read_symlink("/proc/self/fd/" + number, problem);
    const std::string name = place.filename().string();
    if (name.starts_with('.') &&
        std::any_of(endings.begin(), endings.end(),
                    [&](std::string_view ending) { return name.ends_with(ending); }))
      out.push_back(std::move(place));
  }
  return out;
}

}  // namespace

void remove_staging() {
  // What is staged is locked by an open descriptor of its owner. Other threads may still be writing
  // into it.
  for (const auto& place : open_here({".halograph-tmp", ".halograph-lock"})) {
    std::error_code problem;
    for (int attempt = 0; attempt < 10 && std::filesystem::exists(place, problem); ++attempt)
      detail::remove_tree(place.string());
  }
}

void remove_lock_markers() {
  for (const auto& place : open_here({".halograph-lock"})) {
    std::error_code problem;
    std::filesystem::remove(place, problem);
  }
}

bool is_folder(const std::string& path) { return detail::is_folder(path); }

bool is_file(const std::string& path) { return detail::is_file(path); }

std::string existing_folder_of(const std::string& path) {
  std::error_code problem;
  auto folder = std::filesystem::absolute(path, problem).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  folder = folder.parent_path();
  while (!std::filesystem::exists(folder, problem) && folder.has_parent_path() &&
         folder != folder.parent_path())
    folder = folder.parent_path();
  return folder.string();
}

std::uint64_t available_disk(const std::string& path) {
  std::error_code problem;
  const auto space = std::filesystem::space(
      std::filesystem::exists(path, problem) ? path : existing_folder_of(path), problem);
  return problem ? std::numeric_limits<std::uint64_t>::max() : space.available;
}

}  // namespace halograph::cli
