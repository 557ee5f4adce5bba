// SPDX-License-Identifier: BSL-1.0
/// @file partition_target.hpp
/// What partition_graph writes to: a format, and files that appear all at once.
/// Layer: serial. Words: README.md.
#pragma once

#include <halograph/core/executor.hpp>
#include <halograph/core/unmet.hpp>
#include <halograph/serial/bytes.hpp>
#include <halograph/serial/layout.hpp>
#include <halograph/serial/serializer.hpp>
#include <halograph/serial/tensor.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace halograph {

namespace detail {

template <class T>
concept has_format = requires(const T& target) {
  { target.format() } -> serializer;
};
template <class T>
concept begins_output = requires(const T& target, const std::string& name,
                                 std::string_view command) {
  { target.begin().create(name, std::uint64_t{0}) } -> byte_sink;
  target.begin().commit(command);
};

}  // namespace detail

/// Where a partitioning is written. `format()` returns a serializer. `begin()` opens an output:
/// `create(name, bytes)` returns a byte sink for a file of that size (thread-safe; names like
/// "part0/graph.dgl"), and `commit(command)` publishes all files at once; `command` is one line of
/// JSON that says how the result was made, or empty. It may return a note for the user as a string.
/// An output that is destroyed without a commit leaves nothing.
template <class T>
concept partition_target =
    (detail::has_format<T> ||
     unmet<"partition_target: needs format() const, returning a serializer">()) &&
    (detail::begins_output<T> ||
     unmet<
         "partition_target: needs begin() const, whose result has create(name, bytes) -> byte_sink and commit(std::string_view command)">());

/// What the begin() of any target returns, owned. create() is thread-safe where the target's is.
class any_output {
 public:
  /// Takes what begin() of a partition_target returned.
  template <class Output>
    requires(!std::same_as<Output, any_output>)
  explicit any_output(Output output) : held_(std::make_unique<holder<Output>>(std::move(output))) {}

  /// A sink for a new file of the output. @param name  its path inside the folder
  any_sink create(const std::string& name, std::uint64_t bytes) {
    return held_->create(name, bytes);
  }
  /// Publish all files at once. @return a note for the user, or ""
  std::string commit(std::string_view command) { return held_->commit(command); }

 private:
  struct base {
    base() = default;
    base(const base&) = delete;
    base& operator=(const base&) = delete;
    virtual ~base() = default;
    virtual any_sink create(const std::string&, std::uint64_t) = 0;
    virtual std::string commit(std::string_view) = 0;
  };
  template <class Output>
  struct holder final : base {
    explicit holder(Output&& output) : inner(std::move(output)) {}
    any_sink create(const std::string& name, std::uint64_t bytes) override {
      return inner.create(name, bytes);
    }
    std::string commit(std::string_view command) override {
      if constexpr (std::is_convertible_v<decltype(inner.commit(command)), std::string>) {
        return inner.commit(command);
      } else {
        inner.commit(command);
        return {};
      }
    }
    Output inner;
  };

  std::unique_ptr<base> held_;
};

namespace detail {

/// A format that its target keeps and that cannot be copied.
template <serializer Format>
struct kept_format {
  const Format* format;

  std::string_view name() const { return format->name(); }
  part_layout layout(const part_description& plan) const { return format->layout(plan); }
  loaded_structure read_structure(const file_bytes& bytes, const std::string& file,
                                  executor_ref threads = {}) const {
    return read_structure_by(*format, bytes, file, threads);
  }
  std::vector<named_tensor> read_features(const file_bytes& bytes, const std::string& file) const
    requires(!reads_features_by_column<Format>)
  {
    return format->read_features(bytes, file);
  }
  std::vector<named_tensor> read_features(const file_bytes& bytes, const std::string& file,
                                          column what) const
    requires reads_features_by_column<Format>
  {
    return format->read_features(bytes, file, what);
  }
};

/// The format of a target, which must outlive it.
template <class Target>
any_serializer format_of(const Target& target) {
  using format = std::remove_cvref_t<decltype(target.format())>;
  if constexpr (std::copy_constructible<format> || !std::is_reference_v<decltype(target.format())>)
    return any_serializer(target.format());
  else
    return any_serializer(kept_format<format>{&target.format()});
}

}  // namespace detail

/// Any target, owned, and shared by its copies: code that takes it is compiled once for all of
/// them.
class any_target {
 public:
  /// Takes a target.
  template <class Target>
    requires(!std::same_as<Target, any_target> && partition_target<Target>)
  any_target(Target target)
      : target_(std::make_shared<const Target>(std::move(target))),
        format_(detail::format_of(*static_cast<const Target*>(target_.get()))),
        begin_([](const void* held) {
          return any_output(static_cast<const Target*>(held)->begin());
        }) {
    if constexpr (requires(const Target& t) { std::string(t.path); })
      path_ = static_cast<const Target*>(target_.get())->path;
  }

  /// @{
  /// The calls of `partition_target`, passed on; errors are those of the target.
  const any_serializer& format() const noexcept { return format_; }
  any_output begin() const { return begin_(target_.get()); }
  /// @}
  /// The folder, where the target names one as its member `path`; else "".
  const std::string& path() const noexcept { return path_; }

 private:
  std::shared_ptr<const void> target_;
  any_serializer format_;
  any_output (*begin_)(const void*);
  std::string path_{};
};
static_assert(partition_target<any_target>);

}  // namespace halograph
