// SPDX-License-Identifier: BSL-1.0
/// @file mpi.hpp
/// Ranks that are processes, on one machine or on many, which exchange bytes through MPI.
/// Layer: adapters (models communicator of core/communicator.hpp). Words: README.md.
///
/// MPI counts in 31 bits: longer messages are sent in slices of at most 2^30 bytes.
#pragma once

#if !__has_include(<mpi.h>)
#error "halograph/adapters/mpi.hpp needs an MPI library's headers (Debian: libopenmpi-dev)"
#else

#include <halograph/core/communicator.hpp>
#include <halograph/core/error.hpp>
#include <halograph/core/status.hpp>

#include <mpi.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace halograph {

namespace detail {

/// The result of an MPI call as a status; the position is MPI's own code.
inline status mpi_status(int answer) noexcept {
  if (answer == MPI_SUCCESS) return status::ok;
  int kind = MPI_ERR_UNKNOWN;
  static_cast<void>(MPI_Error_class(answer, &kind));
  const auto code = static_cast<std::uint64_t>(static_cast<unsigned>(answer));
  switch (kind) {
    case MPI_ERR_TRUNCATE:
      return status::mismatch.at(code);  // a rank sent more than this one expects
    case MPI_ERR_NO_MEM:
      return {error_kind::memory, code};
    case MPI_ERR_COUNT:
    case MPI_ERR_ARG:
    case MPI_ERR_BUFFER:
    case MPI_ERR_TYPE:
    case MPI_ERR_COMM:
      return status::invalid_argument.at(code);
    default:
      return {error_kind::io, code};
  }
}

inline void check_mpi(int answer, const char* what) {
  if (answer == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  static_cast<void>(MPI_Error_string(answer, text, &length));
  raise(mpi_status(answer).code, std::string("MPI cannot ") + what + ": " + text);
}

inline bool mpi_runs() noexcept {
  int begun = 0, ended = 0;
  return MPI_Initialized(&begun) == MPI_SUCCESS && begun != 0 &&
         MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0;
}

inline MPI_Comm all_mpi_ranks() noexcept { return MPI_COMM_WORLD; }

/// A private communicator: its messages do not mix with others, and errors are returned instead of
/// ending the program.
class mpi_duplicate {
 public:
  explicit mpi_duplicate(MPI_Comm parent) {
    check_mpi(MPI_Comm_dup(parent, &comm_), "duplicate a communicator");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "set the error handler");
    check_mpi(MPI_Comm_rank(comm_, &rank_), "get the rank");
    check_mpi(MPI_Comm_size(comm_, &size_), "get the number of ranks");
  }
  mpi_duplicate(const mpi_duplicate&) = delete;
  mpi_duplicate& operator=(const mpi_duplicate&) = delete;
  ~mpi_duplicate() {
    if (mpi_runs()) static_cast<void>(MPI_Comm_free(&comm_));
  }
  MPI_Comm get() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace detail

/// Has a launcher (mpirun, srun) started this process as one of several ranks? Read from the
/// environment, without starting MPI, which takes a tenth of a second or more.
inline bool launched_by_mpi() noexcept {
  for (const char* const name :
       {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE", "MV2_COMM_WORLD_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

/// An MPI session that starts here and ends with this object; where MPI runs already, its owner
/// ends it. Only the thread that made this may call MPI.
class mpi_session {
 public:
  /// @errors raises invalid_argument: MPI has ended already, and can start only once in a process;
  ///     unsupported: it was built or started for one thread
  mpi_session() {
    int ended = 0, begun = 0, level = MPI_THREAD_SINGLE;
    detail::check_mpi(MPI_Finalized(&ended), "check whether it has ended");
    if (ended != 0)
      raise(
          error_kind::invalid_argument,
          "MPI has ended in this process; it can begin once only, so one mpi_session must outlive all use of it");
    detail::check_mpi(MPI_Initialized(&begun), "check whether it runs");
    if (begun == 0) {
      detail::check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &level), "begin");
      ours_ = true;
    } else {
      detail::check_mpi(MPI_Query_thread(&level), "get its thread support");
    }
    if (level < MPI_THREAD_FUNNELED) {
      if (ours_) static_cast<void>(MPI_Finalize());
      raise(
          error_kind::unsupported,
          "this MPI library allows no threads beside the one that calls it; MPI_THREAD_FUNNELED is needed");
    }
  }
  mpi_session(const mpi_session&) = delete;
  mpi_session& operator=(const mpi_session&) = delete;
  ~mpi_session() {
    if (ours_ && detail::mpi_runs()) static_cast<void>(MPI_Finalize());
  }

  /// Was MPI started here?
  bool ours() const noexcept { return ours_; }

  /// End every rank of the program at once, so that the others do not wait forever for a rank that
  /// failed.
  /// @param code  exit code of the launcher
  void stop_all(int code) const noexcept { static_cast<void>(MPI_Abort(MPI_COMM_WORLD, code)); }

 private:
  bool ours_ = false;
};

/// The ranks of an MPI communicator. Copies share one duplicate of it. Making one and
/// destroying the last copy are collective; MPI must run until then (mpi_session).
///
/// Sizes that differ among ranks in one call are an error of the caller that MPI may answer with
/// mismatch, or by a hang.
class mpi_ranks {
 public:
  /// Bytes of one slice.
  static constexpr std::size_t default_slice_bytes = std::size_t{1} << 30;

  /// All ranks of the program. @errors as below
  mpi_ranks() : mpi_ranks(detail::all_mpi_ranks(), default_slice_bytes) {}

  /// The ranks of MPI's communicator `parent`.
  /// @param slice_bytes  1 to 2^30; small ones are for tests. The same on all ranks
  /// @errors raises invalid_argument: MPI does not run, or the slice is out of range; io, memory:
  /// MPI refused
  template <class Handle>
  explicit mpi_ranks(Handle parent, std::size_t slice_bytes = default_slice_bytes)
      : slice_(slice_bytes) {
    static_assert(std::same_as<Handle, MPI_Comm>, "mpi_ranks: needs an MPI_Comm");
    if (!detail::mpi_runs())
      raise(error_kind::invalid_argument, "MPI does not run; an mpi_session must be made first");
    if (slice_bytes == 0 || slice_bytes > default_slice_bytes) {
      raise(error_kind::invalid_argument, "slices of " + std::to_string(slice_bytes) +
                                              " bytes are not possible; they may have 1 to " +
                                              std::to_string(default_slice_bytes));
    }
    comm_ = std::make_shared<const detail::mpi_duplicate>(parent);
  }

  /// @{
  /// This rank, from 0 to R-1, and R.
  std::size_t rank() const noexcept { return static_cast<std::size_t>(comm_->rank()); }
  std::size_t size() const noexcept { return static_cast<std::size_t>(comm_->size()); }
  /// @}
  /// MPI's communicator of these ranks, for libraries that take one; it returns errors instead of
  /// ending the program.
  auto handle() const noexcept { return comm_->get(); }

  /// @{
  /// The collective calls of `communicator`; long buffers travel in slices.
  /// @errors mismatch, out_of_range: as there; mismatch, memory, invalid_argument or io, with MPI's
  ///     error code as the position: the MPI call failed
  status barrier() const noexcept { return detail::mpi_status(MPI_Barrier(comm_->get())); }

  status broadcast(std::span<std::byte> data, std::size_t root) const noexcept {
    if (root >= size()) return status::out_of_range.at(root);
    while (!data.empty()) {
      const auto piece = data.first(std::min(data.size(), slice_));
      if (const status sent = detail::mpi_status(MPI_Bcast(piece.data(),
                                                           static_cast<int>(piece.size()), MPI_BYTE,
                                                           static_cast<int>(root), comm_->get()));
          !sent)
        return sent;
      data = data.subspan(piece.size());
    }
    return status::ok;
  }

  status all_gather(std::span<const std::byte> mine, std::span<std::byte> all) const noexcept {
    if (mine.size() > all.size() / size() || all.size() != mine.size() * size())
      return status::mismatch.at(mine.size() * size());
    const std::size_t slice = std::max<std::size_t>(
        1, slice_ / size());  // what arrives in one piece is R times that
    for (std::size_t begin = 0; begin < mine.size(); begin += slice) {
      if (const status answer = gather_slice(
              mine.subspan(begin, std::min(slice, mine.size() - begin)), all.data() + begin,
              mine.size());
          !answer)
        return answer;
    }
    return status::ok;
  }
  /// @}

  /// all_to_all() of `communicator`. All pieces are in transit at once; long ones slice by slice.
  status all_to_all(std::span<const std::byte> out, std::span<const std::uint64_t> out_counts,
                    std::span<std::byte> in, std::span<const std::uint64_t> in_counts) const {
    if (const status fits = check_exchange(size(), out.size(), out_counts); !fits) return fits;
    if (const status fits = check_exchange(size(), in.size(), in_counts); !fits) return fits;
    std::vector<std::uint64_t> out_at(size()), in_at(size());
    std::uint64_t longest = 0;
    for (std::size_t r = 0, from = 0, to = 0; r < size(); ++r) {
      out_at[r] = from;
      in_at[r] = to;
      from += static_cast<std::size_t>(out_counts[r]);
      to += static_cast<std::size_t>(in_counts[r]);
      if (r != rank()) longest = std::max({longest, out_counts[r], in_counts[r]});
    }
    if (out_counts[rank()] != in_counts[rank()]) return status::mismatch.at(rank());
    std::vector<MPI_Request> waiting;
    waiting.reserve(2 * size());
    status answer = status::ok;
    // Receives are posted before anything is sent, so that bytes go straight to their destination;
    // each rank starts with its neighbor.
    for (std::uint64_t begin = 0; begin < longest && answer; begin += slice_) {
      waiting.clear();
      for (const bool receiving : {true, false}) {
        for (std::size_t step = 1; step < size() && answer; ++step) {
          const std::size_t peer = receiving ? (rank() + size() - step) % size()
                                             : (rank() + step) % size();
          const std::uint64_t count = receiving ? in_counts[peer] : out_counts[peer];
          if (begin >= count) continue;
          const int bytes = static_cast<int>(std::min<std::uint64_t>(slice_, count - begin));
          MPI_Request& request = waiting.emplace_back(MPI_REQUEST_NULL);
          answer = detail::mpi_status(
              receiving ? MPI_Irecv(in.data() + in_at[peer] + begin, bytes, MPI_BYTE,
                                    static_cast<int>(peer), 0, comm_->get(), &request)
                        : MPI_Isend(out.data() + out_at[peer] + begin, bytes, MPI_BYTE,
                                    static_cast<int>(peer), 0, comm_->get(), &request));
        }
      }
      const status done = wait(waiting);
      if (answer) answer = done;
    }
    if (const auto own = static_cast<std::size_t>(out_counts[rank()]); own != 0) {
      std::memcpy(in.data() + in_at[rank()], out.data() + out_at[rank()], own);
    }
    return answer;
  }

  /// sum() of `communicator`. @errors as above
  status sum(std::span<std::uint64_t> values) const noexcept {
    const std::size_t slice = std::max<std::size_t>(1, slice_ / sizeof(std::uint64_t));
    while (!values.empty()) {
      const auto piece = values.first(std::min(values.size(), slice));
      if (const status added = detail::mpi_status(
              MPI_Allreduce(MPI_IN_PLACE, piece.data(), static_cast<int>(piece.size()),
                            MPI_UINT64_T, MPI_SUM, comm_->get()));
          !added)
        return added;
      values = values.subspan(piece.size());
    }
    return status::ok;
  }

  /// As mpi_session::stop_all, for these ranks.
  void stop_all(int code) const noexcept { static_cast<void>(MPI_Abort(comm_->get(), code)); }

 private:
  // Piece r is stored `stride` bytes after piece r-1: an element of that extent, of which one comes
  // from each rank.
  status gather_slice(std::span<const std::byte> piece, std::byte* to,
                      std::size_t stride) const noexcept {
    MPI_Datatype bytes = MPI_DATATYPE_NULL, spread = MPI_DATATYPE_NULL;
    status answer = detail::mpi_status(
        MPI_Type_contiguous(static_cast<int>(piece.size()), MPI_BYTE, &bytes));
    if (answer)
      answer = detail::mpi_status(
          MPI_Type_create_resized(bytes, 0, static_cast<MPI_Aint>(stride), &spread));
    if (answer) answer = detail::mpi_status(MPI_Type_commit(&spread));
    if (answer)
      answer = detail::mpi_status(MPI_Allgather(piece.data(), static_cast<int>(piece.size()),
                                                MPI_BYTE, to, 1, spread, comm_->get()));
    if (spread != MPI_DATATYPE_NULL) static_cast<void>(MPI_Type_free(&spread));
    if (bytes != MPI_DATATYPE_NULL) static_cast<void>(MPI_Type_free(&bytes));
    return answer;
  }

  // MPI_Waitall reports that something failed; the statuses say what.
  static status wait(std::vector<MPI_Request>& waiting) {
    std::vector<MPI_Status> found(waiting.size());
    for (auto& one : found) one.MPI_ERROR = MPI_SUCCESS;
    const int answer = MPI_Waitall(static_cast<int>(waiting.size()), waiting.data(), found.data());
    if (answer == MPI_SUCCESS) return status::ok;
    for (const auto& one : found) {
      if (one.MPI_ERROR != MPI_SUCCESS && one.MPI_ERROR != MPI_ERR_PENDING)
        return detail::mpi_status(one.MPI_ERROR);
    }
    return detail::mpi_status(answer);
  }

  std::shared_ptr<const detail::mpi_duplicate> comm_{};
  std::size_t slice_;
};
static_assert(communicator<mpi_ranks>);

}  // namespace halograph

#endif
