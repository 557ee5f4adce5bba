// SPDX-License-Identifier: BSL-1.0
/// @file serial.cpp
/// What serial/ does with files, and folder/ with one file, while each call of the C library fails
/// in turn, once or from then on, until a run meets no fault: it succeeds, or raises one sentence
/// that names a file; what was there before is whole, or the new result is; and the same work
/// succeeds afterwards.
#include "arming.hpp"

#include <halograph/core/error.hpp>
#include <halograph/folder/restore.hpp>
#include <halograph/serial/external_sort.hpp>
#include <halograph/serial/files/checkpoint.hpp>
#include <halograph/serial/files/folder_entries.hpp>
#include <halograph/serial/files/input_record.hpp>
#include <halograph/serial/files/lock.hpp>
#include <halograph/serial/files/manifest.hpp>
#include <halograph/serial/files/output_guard.hpp>
#include <halograph/serial/files/scratch.hpp>
#include <halograph/serial/files/staged_files.hpp>
#include <halograph/serial/files/staged_folder.hpp>
#include <halograph/serial/layout_writer.hpp>
#include <halograph/serial/npy.hpp>

#include <gtest/gtest.h>
#include <support/temporary_folder.hpp>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hg = halograph;
namespace fs = std::filesystem;
using hg::testing::bytes_of;
using hg::testing::content_of;
using hg::testing::temporary_folder;

namespace {

struct fault {
  const char* call;
  int number;
  bool persists = false;
  bool of_memory = false;  // the sentence need not name a file
};
const fault faults[]{
    {"malloc", ENOMEM, false, true},
    {"malloc", ENOMEM, true, true},
    {"open", EIO},
    {"open", EMFILE, true},
    {"open", EINTR},
    {"read", EIO},
    {"read", EINTR},
    {"short_read", 0, true},
    {"pread", EIO},
    {"pread", EINTR},
    {"short_pread", 0, true},
    {"write", ENOSPC},
    {"write", ENOSPC, true},
    {"write", EINTR},
    {"short_write", 0, true},
    {"pwrite", ENOSPC},
    {"pwrite", ENOSPC, true},
    {"pwrite", EINTR},
    {"short_pwrite", 0, true},
    {"empty_write", 0},
    {"empty_write", 0, true},
    {"empty_pwrite", 0},
    {"empty_pwrite", 0, true},
    {"fsync", EIO},
    {"fsync", EIO, true},
    {"fsync", EINTR},
    {"stat", EIO},
    {"stat", EIO, true},
    {"stat", ENOENT},
    {"flock", EIO},
    {"flock", EINTR},
    {"flock", EWOULDBLOCK, true},
    {"flock", ENOLCK, true},
    {"rename", EIO},
    {"rename", EIO, true},
    {"renameat2", EIO},
    {"renameat2", EINVAL, true},
    {"mkdir", ENOSPC},
    {"mkdir", EACCES, true},
    {"rmdir", EIO},
    {"rmdir", EIO, true},
    {"unlink", EIO},
    {"unlink", EIO, true},
    {"opendir", EIO},
    {"opendir", EMFILE, true},
    {"readdir", EIO},
    {"ftruncate", EIO},
    {"ftruncate", ENOSPC, true},
    {"fallocate", ENOSPC},
    {"fallocate", EOPNOTSUPP, true},
    {"fallocate", EINTR},
    {"mmap", ENOMEM},
    {"mmap", ENOMEM, true},
    {"close", EIO},
    {"close", EIO, true},
};

/// Work in a folder: what is there before, what fails, and what must hold.
class work {
 public:
  virtual ~work() = default;
  virtual void prepare(const temporary_folder&) const {}
  virtual void run(const temporary_folder& place) const = 0;
  /// What is wrong with what is there; "": nothing. @param done  run() has returned
  virtual std::string wrong(const temporary_folder&, [[maybe_unused]] bool done) const {
    return "";
  }
  /// Where a file's name cannot be removed, it stays.
  virtual bool leaves_names() const { return false; }
  /// Must work fail where a call of this kind does?
  virtual bool must_notice(std::string_view call) const { return call == "fsync"; }
};

void fail_each_call(const work& job) {
  std::size_t injected = 0, raised = 0;
  for (const fault& one : faults) {
    bool met = true;
    for (long at = 1; met; ++at) {
      ASSERT_LT(at, 5000) << one.call;
      SCOPED_TRACE(testing::Message() << one.call << " number " << at << " reports " << one.number
                                      << (one.persists ? ", as all later ones" : ""));
      const temporary_folder place;
      job.prepare(place);
      bool done = false;
      std::string sentence;
      std::optional<std::string> other;
      {
        faults::armed armed(one.call, at, one.number, one.persists);
        try {
          job.run(place);
          done = true;
        } catch (const hg::error& problem) {
          met = armed.stop() >= at;
          sentence = problem.what();
        } catch (const std::bad_alloc&) {
          met = armed.stop() >= at;
          sentence = "memory";
          if (!one.of_memory) other = "std::bad_alloc";
        } catch (const std::exception& problem) {
          met = armed.stop() >= at;
          other = problem.what();
        }
        if (done) met = armed.stop() >= at;
      }
      EXPECT_EQ(other, std::nullopt);
      injected += met ? 1 : 0;
      raised += done ? 0 : 1;
      EXPECT_TRUE(met || done) << "without a fault: " << sentence;
      if (!done && !one.of_memory) {
        EXPECT_NE(sentence.find(place()), std::string::npos) << "names no file: " << sentence;
      }
      if (met && done && one.number != EINTR) {
        EXPECT_FALSE(job.must_notice(one.call)) << "ends well";
      }
      if (job.leaves_names() && std::string_view(one.call) == "unlink") continue;
      EXPECT_EQ(job.wrong(place, done), "") << sentence;
      // The next run, which no fault meets.
      try {
        job.run(place);
        EXPECT_EQ(job.wrong(place, true), "") << "after the next run";
      } catch (const std::exception& problem) {
        ADD_FAILURE() << "the next run fails: " << problem.what();
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(injected, 5u);
  EXPECT_GT(raised, 0u);
}

void put(hg::staged_folder& out, const std::string& name, std::string_view text) {
  auto sink = out.create(name, text.size());
  sink.require(sink.write_at(0, bytes_of(text)));
  sink.sync();
  sink.close();
}

void remove(const std::string& path) {
  if (const int number = hg::detail::remove_tree(path); number != 0)
    hg::raise_io(path, "remove", number);
}

class stage_folder : public work {
 public:
  stage_folder(bool earlier, bool resumed) : earlier_(earlier), resumed_(resumed) {}
  void prepare(const temporary_folder& place) const override {
    if (earlier_) write(place, "old");
    if (resumed_) {
      hg::staged_folder out(place("deep/out"), hg::leftovers::keep);
      put(out, "half", "half");
      out.keep();
    }
  }
  void run(const temporary_folder& place) const override { write(place, "new"); }
  std::string wrong(const temporary_folder& place, bool done) const override {
    const std::string text = content_of(place("deep/out/part0/a"));
    if (text != "new" && (done || text != (earlier_ ? "old" : ""))) return "part0/a is " + text;
    if (!text.empty()) {
      if (content_of(place("deep/out/c")) != text) return "another c";
      if (!fs::exists(place("deep/out/.halograph-manifest"))) return "no manifest";
    }
    // What a run could not remove is left to the next one.
    return done && fs::exists(place("deep/out/half")) ? "half is part of the result" : "";
  }

 private:
  void write(const temporary_folder& place, std::string_view text) const {
    hg::staged_folder out(place("deep/out"),
                          resumed_ ? hg::leftovers::keep : hg::leftovers::remove);
    if (resumed_) out.start_over();
    put(out, "part0/a", text);
    auto grows = out.create("b", hg::file_sink::grows);
    grows.require(grows.write_at(0, bytes_of(text)));
    grows.close();
    hg::file_writer writer = hg::file_writer::create(out.path() + "/c");
    writer.write(bytes_of(text));
    writer.close();
    out.add_all();
    out.commit(R"({"made": "here"})");
  }
  bool earlier_, resumed_;
};

TEST(faults_of_serial, staged_folder_without_an_earlier_result) {
  fail_each_call(stage_folder(false, false));
}
TEST(faults_of_serial, staged_folder_over_an_earlier_result) {
  fail_each_call(stage_folder(true, false));
}
TEST(faults_of_serial, staged_folder_that_starts_over) { fail_each_call(stage_folder(true, true)); }

class stage_files : public work {
 public:
  explicit stage_files(bool of_ours) : of_ours_(of_ours) {}
  void prepare(const temporary_folder& place) const override {
    if (of_ours_) {
      hg::staged_folder out(place("out"));
      put(out, "a", "old");
      out.commit();
    } else {
      place.write("out/a", "old");
    }
  }
  void run(const temporary_folder& place) const override {
    hg::staged_files staged(place("out"), "test");
    for (const char* name : {"a", "b"}) {
      staged.add(name);
      hg::file_writer out = hg::file_writer::create(staged.path() + "/" + name);
      out.write(bytes_of("new"));
      out.close();
    }
    staged.commit("{}");
  }
  std::string wrong(const temporary_folder& place, bool done) const override {
    for (const char* name : {"a", "b"}) {
      const std::string text = content_of(place(std::string("out/") + name));
      if (text != "new" && (done || text != (name[0] == 'a' ? "old" : "")))
        return std::string(name) + " is " + text;
    }
    return "";
  }

 private:
  bool of_ours_;
};

TEST(faults_of_serial, staged_files_beside_others) { fail_each_call(stage_files(false)); }
TEST(faults_of_serial, staged_files_in_a_result_of_ours) { fail_each_call(stage_files(true)); }

class complete_stages : public work {
  void run(const temporary_folder& place) const override {
    for (const bool resume : {false, true}) {
      hg::stage_list stages(place(), "job", resume);
      for (const char* name : {"one", "two"}) {
        if (stages.completed(name) != nullptr) continue;
        hg::file_writer out = hg::file_writer::create(place(name));
        out.write(bytes_of(name));
        out.sync();
        out.close();
        stages.complete({name, {{"rows", 3}}, {hg::digest_file(place(name), name)}});
      }
    }
  }
  std::string wrong(const temporary_folder& place, bool done) const override {
    if (!done && !fs::exists(place(std::string(hg::stages_name)))) return "";
    hg::stage_list stages(place(), "job", true);
    for (const char* name : {"one", "two"}) {
      const bool listed = stages.completed(name) != nullptr;
      if (listed && content_of(place(name)) != name) return std::string(name) + " is trusted";
      if (done && !listed) return std::string(name) + " is not listed";
    }
    return "";
  }
};

TEST(faults_of_serial, stage_list) { fail_each_call(complete_stages()); }

class read_and_digest : public work {
  void prepare(const temporary_folder& place) const override {
    place.write("in/a", std::string(70'000, 'a'));
    place.write("in/deep/b", "b");
  }
  void run(const temporary_folder& place) const override {
    const hg::recorded_files<hg::read_files> files;
    files.record->protect(place("out"));
    const auto got = files(place("in/a"));
    if (got.bytes.size() != 70'000) hg::raise(hg::error_kind::internal, "other bytes");
    files(place("in/deep/b"));
    hg::file_source source(place("in/a"));
    std::vector<std::byte> some(100);
    if (!source.read_at(69'900, some)) hg::raise_io(place("in/a"), "read", EIO);
    const auto entry = hg::digest_file(place("in/a"), "a");
    if (entry.bytes != 70'000) hg::raise(hg::error_kind::internal, "another size");
    if (hg::is_inside(place("in"), place("out")))
      hg::raise(hg::error_kind::internal, "out is not inside in");
    files.settle();
  }
  bool must_notice(std::string_view call) const override { return call == "read"; }
};

TEST(faults_of_serial, reading_recording_and_digesting) { fail_each_call(read_and_digest()); }

class use_scratch : public work {
  void prepare(const temporary_folder& place) const override { fs::create_directory(place("s")); }
  void run(const temporary_folder& place) const override {
    {
      auto numbers = hg::scratch_array<std::uint64_t>::create(place("s/numbers"), 1000);
      numbers.values()[999] = 7;
      static_cast<void>(numbers.digest());
      const auto again = hg::scratch_array<std::uint64_t>::open(place("s/numbers"), 1000);
      if (again.values()[999] != 7) hg::raise(hg::error_kind::internal, "other numbers");
    }
    remove(place("s/numbers"));
    hg::scratch_file file(place("s"), 16);
    for (int i = 0; i < 5; ++i) file.append(bytes_of("0123456789"));
    file.write_at(60, bytes_of("end"));
    std::vector<std::byte> got(10);
    file.read_at(40, got);
    if (hg::testing::text_of(got) != "0123456789")
      hg::raise(hg::error_kind::internal, "other text");
    hg::spill_buckets spill(place("s/spill"), 2, 4, 8);
    for (std::uint32_t i = 0; i < 9; ++i) spill.push(i % 2, i);
    spill.finish();
    std::size_t bytes = 0;
    std::vector<std::byte> window(8);
    spill.read(0, window, [&](std::span<const std::byte> some) { bytes += some.size(); });
    if (bytes != 20) hg::raise(hg::error_kind::internal, "other records");
    hg::scratch_memory memory(place("s"), 0);
    std::pmr::vector<std::uint64_t> values(100'000, &memory);
    values.back() = 1;
  }
  std::string wrong(const temporary_folder& place, bool done) const override {
    return done && !fs::is_empty(place("s")) ? "a scratch file is left" : "";
  }
  bool must_notice(std::string_view call) const override { return call == "pread"; }
  bool leaves_names() const override { return true; }
};

TEST(faults_of_serial, scratch) { fail_each_call(use_scratch()); }

class sort_outside_memory : public work {
  void run(const temporary_folder& place) const override {
    hg::external_sorter<std::uint32_t> sorter(place(), 1000);
    for (std::uint32_t i = 0; i < 300; ++i) sorter.add(std::to_string(i * 7919 % 300), i);
    std::string last;
    std::size_t count = 0;
    for (auto at = sorter.sorted(); at.next(); ++count) {
      if (at.key() < last) hg::raise(hg::error_kind::internal, "not sorted");
      last = at.key();
    }
    if (count != 300) hg::raise(hg::error_kind::internal, "records are lost");
  }
  std::string wrong(const temporary_folder& place, bool done) const override {
    return done && !fs::is_empty(place()) ? "a scratch file is left" : "";
  }
  bool must_notice(std::string_view call) const override { return call == "pread"; }
  bool leaves_names() const override { return true; }
};

TEST(faults_of_serial, external_sort) { fail_each_call(sort_outside_memory()); }

class lock_and_list : public work {
  void prepare(const temporary_folder& place) const override {
    for (const std::string tree : {"tree", "copy"}) {
      place.write(tree + "/a", "a");
      place.write(tree + "/deep/b", "b");
    }
  }
  void run(const temporary_folder& place) const override {
    {
      const auto file = hg::detail::lock_file(place("file"));
      const auto folder = hg::detail::lock_folder(place("tree"));
      std::size_t seen = 0;
      hg::detail::for_each_entry(place("tree"), [&](const std::string&, auto) {
        ++seen;
        return true;
      });
      if (seen != 3 || hg::detail::names_in(place("tree")).size() != 2)
        hg::raise(hg::error_kind::internal, "entries are lost");
      if (hg::detail::entries_besides(place("tree"), {"a"}) != std::vector<std::string>{"deep"})
        hg::raise(hg::error_kind::internal, "other entries");
      if (hg::detail::irremovable_entry(place("tree")))
        hg::raise(hg::error_kind::internal, "an entry that stays");
    }
    remove(place("copy"));
  }
};

TEST(faults_of_serial, locks_and_entries) { fail_each_call(lock_and_list()); }

TEST(faults_of_serial, what_cannot_be_examined_is_not_called_missing) {
  const temporary_folder place;
  for (const bool there : {false, true}) {
    if (there) place.write("file", "a");
    const auto examined = [&] { return hg::detail::is_there(place("file")); };
    EXPECT_EQ(examined(), there);
    for (const int number : {EIO, EACCES, ENOMEM}) {
      faults::armed stat("stat", 1, number, false);
      EXPECT_THROW(examined(), hg::error);
    }
  }
}

class write_and_read_arrays : public work {
  void run(const temporary_folder& place) const override {
    const auto shown = hg::tensor::from(std::vector<std::int64_t>{1, 2, 3});
    hg::staged_folder made(place("out"));
    hg::staged_folder out(std::move(made));
    const auto layout = hg::npy_layout("a.npy", shown.type(), shown.shape());
    auto sink = out.create("a.npy", layout.bytes);
    hg::save(layout, sink, [&](const hg::section&) { return shown; });
    sink.close();
    out.commit();
    if (!(hg::read_npy(hg::read_files{}(place("out/a.npy")), place("out/a.npy")) == shown))
      hg::raise(hg::error_kind::internal, "other numbers");
  }
};

TEST(faults_of_serial, arrays) { fail_each_call(write_and_read_arrays()); }

class replace_file : public work {
  void prepare(const temporary_folder& place) const override { place.write("page", "page 1"); }
  void run(const temporary_folder& place) const override {
    hg::detail::replaced_file target(place("page"), "page", "a page");
    const std::string_view text = "page 2";
    auto sink = target.create(text.size());
    sink.require(sink.write_at(0, bytes_of(text)));
    sink.sync();
    sink.close();
    target.commit();
  }
  std::string wrong(const temporary_folder& place, bool done) const override {
    const std::string text = content_of(place("page"));
    if (text != "page 2" && (done || text != "page 1")) return "the page is " + text;
    return "";
  }
};

TEST(faults_of_folder, a_file) { fail_each_call(replace_file()); }

TEST(faults_of_folder, a_file_that_cannot_be_examined_is_not_replaced) {
  const temporary_folder place;
  place.write("mine", "not a page");
  faults::armed stat("stat", 1, EIO, false);
  EXPECT_THROW(hg::detail::replaced_file(place("mine"), "page", "a page"), hg::error);
}

}  // namespace
