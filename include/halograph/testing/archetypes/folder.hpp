// SPDX-License-Identifier: BSL-1.0
/// @file folder.hpp
/// A minimal partition target, and near misses.
/// Layer: testing. Words: README.md.
#pragma once

#include <halograph/serial/bytes.hpp>
#include <halograph/serial/json.hpp>
#include <halograph/serial/native.hpp>
#include <halograph/testing/archetypes/awkward.hpp>
#include <halograph/testing/archetypes/serial.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace halograph::archetype {

/// Files in memory: what `partition_target` writes and `file_opener` opens.
struct files {
  std::mutex guard{};
  std::map<std::string, std::vector<std::byte>> content{};
  bool committed = false;
};

/// Models `partition_target`: writes into `files`.
class partition_target : awkward {
 public:
  explicit partition_target(files& into) : awkward(0), into_(&into) {}

  class output : awkward {
   public:
    explicit output(files& into) : awkward(0), into_(&into) {}
    byte_sink create(const std::string& name, std::uint64_t bytes) {
      const std::lock_guard lock(into_->guard);
      auto& file = into_->content[name];
      file.assign(static_cast<std::size_t>(bytes), std::byte{0});
      return byte_sink(file);
    }
    void commit(std::string_view) { into_->committed = true; }

   private:
    files* into_;
  };

  serializer format() const { return serializer(0); }
  output begin() const { return output(*into_); }

 private:
  files* into_;
};

}  // namespace halograph::archetype

namespace halograph::near_miss {

/// Its format is a string.
struct partition_target_of_words {
  struct output {
    memory_sink create(const std::string&, std::uint64_t) { return {}; }
    void commit(std::string_view) {}
  };
  std::string_view format() const { return {}; }
  output begin() const { return {}; }
};
/// Its output has no commit().
struct partition_target_without_commit {
  struct output {
    memory_sink create(const std::string&, std::uint64_t) { return {}; }
  };
  native_serializer format() const { return {}; }
  output begin() const { return {}; }
};

}  // namespace halograph::near_miss
