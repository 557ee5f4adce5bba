// SPDX-License-Identifier: BSL-1.0
/// @file owner_fetch.hpp
/// Ask the ranks that hold nodes for a number of each, in rounds of a fixed size.
/// Layer: comm. Words: README.md.
#pragma once

#include <halograph/comm/alltoallv.hpp>
#include <halograph/comm/collective_errors.hpp>
#include <halograph/core/communicator.hpp>
#include <halograph/core/search.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace halograph {

/// Memory of the rounds in which ranks exchange what belongs to nodes.
inline constexpr std::uint64_t node_exchange_bytes = std::uint64_t{16} << 20;

/// Which rank holds a node. @param ranges [R+1] first node of each rank @pre node < ranges[R]
/// @complexity O(log R)
inline std::size_t rank_of_node(std::span<const std::uint64_t> ranges,
                                std::uint64_t node) noexcept {
  return range_of(ranges, node);
}

/// Records to the ranks that `to` names, in rounds; what came is in no order that is told. Inside
/// run_collective().
/// @param records  of any trivially copyable type   @param to  to(record)
/// @param round_bytes  memory of the rounds, the same on every rank
/// @complexity O(records); memory: round_bytes and what comes
template <communicator C, class Record, class To>
std::vector<Record> send_records(const C& ranks, std::span<const Record> records, const To& to,
                                 std::uint64_t round_bytes = node_exchange_bytes) {
  std::vector<Record> came;
  if (ranks.size() == 1) {
    came.assign(records.begin(), records.end());
    return came;
  }
  record_exchange exchange(ranks, sizeof(Record),
                           records_per_round(round_bytes, ranks.size(), sizeof(Record)));
  std::size_t next = 0;
  exchange.run(
      [&](std::uint64_t) {
        for (; next < records.size() && exchange.room() != 0; ++next)
          exchange.push(to(records[next]), records[next]);
        return next < records.size();
      },
      [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
        detail::for_each_record<Record>(bytes, [&](const Record& one) { came.push_back(one); });
      });
  return came;
}

/// Numbers of nodes that any rank holds, from there. Inside run_collective().
///
/// @param ranges  [R+1] first node of each rank, the same everywhere
/// @param wanted  nodes of any ranks
/// @param value   value(i): the number of the i-th node of this rank's range
/// @return        [wanted]
/// @complexity    O(wanted + what the others want) time; memory: 32 bytes for each that is wanted,
///     24 to 72 for each that others want, and round_bytes
template <communicator C, class Value>
std::vector<std::uint64_t> values_of_nodes(const C& ranks, std::span<const std::uint64_t> ranges,
                                           std::span<const std::uint64_t> wanted,
                                           const Value& value,
                                           std::uint64_t round_bytes = node_exchange_bytes) {
  struct question {
    std::uint64_t node, place, from;
  };
  struct reply {
    std::uint64_t place, value;
  };
  const std::uint64_t first = ranges[ranks.rank()];
  std::vector<std::uint64_t> out(wanted.size());
  std::vector<question> questions;
  questions.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) questions.push_back({wanted[i], i, ranks.rank()});
  questions = send_records(
      ranks, std::span<const question>(questions),
      [&](const question& one) { return rank_of_node(ranges, one.node); }, round_bytes);
  if (ranks.size() == 1) {
    for (const auto& one : questions)
      out[static_cast<std::size_t>(one.place)] = value(static_cast<std::size_t>(one.node - first));
    return out;
  }
  record_exchange exchange(ranks, sizeof(reply),
                           records_per_round(round_bytes, ranks.size(), sizeof(reply)));
  std::size_t next = 0;
  exchange.run(
      [&](std::uint64_t) {
        for (; next < questions.size() && exchange.room() != 0; ++next) {
          const auto& one = questions[next];
          exchange.push(static_cast<std::size_t>(one.from),
                        reply{one.place, value(static_cast<std::size_t>(one.node - first))});
        }
        return next < questions.size();
      },
      [&](std::uint64_t, std::size_t, std::span<const std::byte> bytes) {
        detail::for_each_record<reply>(
            bytes, [&](const reply& one) { out[static_cast<std::size_t>(one.place)] = one.value; });
      });
  return out;
}

}  // namespace halograph
