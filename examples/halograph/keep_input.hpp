// SPDX-License-Identifier: BSL-1.0
// The library's refusal to replace what a run reads: by the command line alone, and for each file
// as it is opened.
#pragma once

#include "inputs.hpp"
#include "usage_error.hpp"

#include <halograph/folder/amend.hpp>
#include <halograph/serial/files/file.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/staged_folder.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace halograph::cli {

/// The folder that a config lies in; of a folder whose config was not found, that folder.
inline std::string folder_of(const std::string& config) {
  if (is_folder(config)) return config;
  const auto slash = config.rfind('/');
  return slash == std::string::npos ? "." : config.substr(0, slash + 1);
}

/// The run replaces `out`, and reads these inputs and whatever they name: to open a file that lies
/// in `out` is an error from now on.
/// @errors usage_error: an input of the command line is `out` or lies in it
inline void guard_inputs(const std::string& out, std::initializer_list<std::string> inputs) {
  for (const auto& input : inputs) {
    try {
      reject_output_over_input(out, input);
    } catch (const error& problem) {
      throw usage_error(problem.what());
    }
  }
  inputs_of_this_run()->protect(out);
}

/// The folder that a command replaces which changes the folder of a config: that one, or `out`.
/// @param inputs  of the command line, besides the folder
/// @errors        usage_error: `out` lies in the folder, or an input in what is replaced; not_found
inline std::string guard_changed_folder(const std::string& config, const std::string& out,
                                        std::initializer_list<std::string> inputs) {
  const std::string folder = folder_of(config);
  try {
    require_beside(folder, out);
  } catch (const error& problem) {
    throw usage_error(problem.what());
  }
  static_cast<void>(file_source(config));  // what is not there is not replaced
  const std::string replaced = out.empty() ? folder : out;
  guard_inputs(replaced, inputs);
  return replaced;
}

/// Takes what was read in a place of the run's own out of its record, before the run removes that
/// place.
struct forget_place {
  void operator()(const std::string* place) const noexcept {
    try {
      inputs_of_this_run()->forget(*place);
    } catch (...) {
      // Out of memory: an error that follows is then reported as a change of the place.
    }
    delete place;
  }
};
using forgotten_place = std::unique_ptr<const std::string, forget_place>;

/// Removes folders that hold nothing, the deepest first.
struct remove_empty {
  void operator()(const std::vector<std::string>* folders) const noexcept {
    std::error_code kept;
    for (const auto& one : *folders) std::filesystem::remove(one, kept);
    delete folders;
  }
};
/// The folders above a target that are not there yet: what a run puts beside the target makes them,
/// and a run that fails leaves them empty.
using parents_to_make = std::unique_ptr<const std::vector<std::string>, remove_empty>;
inline parents_to_make missing_parents(const std::string& target) {
  auto missing = std::make_unique<std::vector<std::string>>();
  std::error_code problem;
  auto folder = std::filesystem::path(target).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  for (folder = folder.parent_path();
       !folder.empty() && !std::filesystem::exists(folder, problem) && !problem;
       folder = folder.parent_path())
    missing->push_back(folder.string());
  return parents_to_make(missing.release());
}

/// A target of partition_graph that is replaced only if nothing has changed that was read.
template <class Target>
struct settled : Target {
  struct output {
    staged_folder staged;
    auto create(const std::string& name, std::uint64_t bytes) { return staged.create(name, bytes); }
    std::string commit(std::string_view command) {
      inputs_of_this_run()->settle();
      return staged.commit(command);
    }
  };
  output begin() const { return {Target::begin()}; }
};

}  // namespace halograph::cli
