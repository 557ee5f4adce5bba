// SPDX-License-Identifier: BSL-1.0
/// @file memory_folder.hpp
/// For tests: a partition folder in memory, a target to write it and an opener to read it.
#pragma once

#include <halograph/core/error.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/digest.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/staged_folder.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace halograph::testing {

/// Files by name. A file_opener; copies share the files.
class memory_folder {
 public:
  using bytes = std::vector<std::byte>;

  file_bytes operator()(const std::string& path) const {
    const auto found = files_->find(path);
    if (found == files_->end())
      raise(error_kind::not_found, "cannot open: there is no such file", {path, {}, {}});
    return {std::span<const std::byte>(*found->second), found->second};
  }
  bytes& operator[](const std::string& path) {
    auto& file = (*files_)[path];
    if (!file) file = std::make_shared<bytes>();
    return *file;
  }
  void write(const std::string& path, std::string_view text) {
    const auto data = std::as_bytes(std::span(text.data(), text.size()));
    (*this)[path].assign(data.begin(), data.end());
  }
  std::string text(const std::string& path) const {
    const auto found = (*this)(path).bytes;
    return {reinterpret_cast<const char*>(found.data()), found.size()};
  }
  void remove(const std::string& path) { files_->erase(path); }
  bool has(const std::string& path) const { return files_->count(path) != 0; }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& [name, content] : *files_) out.push_back(name);
    return out;
  }
  /// The manifest that staged_folder would write.
  void seal(const std::string& command = "{}") {
    remove(std::string(manifest_name));
    manifest made;
    made.command = command;
    for (const auto& [name, content] : *files_)
      made.files.push_back({digest64().update(*content).value(), content->size(), name});
    write(std::string(manifest_name), print(made));
  }
  /// The same files, not shared.
  memory_folder copy() const {
    memory_folder out;
    for (const auto& [name, content] : *files_) out[name] = *content;
    return out;
  }

 private:
  std::shared_ptr<std::map<std::string, std::shared_ptr<bytes>>> files_ =
      std::make_shared<std::map<std::string, std::shared_ptr<bytes>>>();
};

/// A partition_target that writes into a memory_folder. One thread at a time.
template <class Format>
struct memory_target {
  memory_folder folder{};
  Format serializer{};

  class sink {
   public:
    explicit sink(memory_folder::bytes& data) : data_(&data) {}
    status write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
      if (offset > data_->size() || bytes.size() > data_->size() - offset)
        return status::out_of_range.at(offset);
      std::copy(bytes.begin(), bytes.end(), data_->begin() + static_cast<std::ptrdiff_t>(offset));
      return status::ok;
    }

   private:
    memory_folder::bytes* data_;
  };
  struct output {
    memory_folder folder;
    sink create(const std::string& name, std::uint64_t size) {
      auto& data = folder[name];
      data.assign(static_cast<std::size_t>(size), std::byte{0});
      return sink(data);
    }
    void commit(std::string_view) { folder.seal(); }
  };

  Format format() const { return serializer; }
  output begin() const { return {folder}; }
};

}  // namespace halograph::testing
