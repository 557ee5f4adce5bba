# SPDX-License-Identifier: BSL-1.0
# Writes one source that compiles several: cmake -P batch.cmake BATCH SOURCE...
# The headers of all come first, so that they are read once, and each source in a namespace of its own, where its
# #include lines find them included.
set(batch "${CMAKE_ARGV3}")
set(headers "")
set(text "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 4 ${last})
  file(STRINGS "${CMAKE_ARGV${i}}" lines REGEX "^#include ")
  list(APPEND headers ${lines})
  math(EXPR number "${i} - 3")
  string(APPEND text "namespace source_${number} {\n#include \"${CMAKE_ARGV${i}}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES headers)
list(JOIN headers "\n" headers)
file(WRITE "${batch}" "${headers}\n${text}")
