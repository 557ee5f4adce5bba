# SPDX-License-Identifier: BSL-1.0
# cmake -DCXX=... -DSOURCE=case.cpp -DINCLUDE=... -P check.cmake
#
# One source, two builds. Without MUST_FAIL it must compile. With MUST_FAIL it must not, and the compiler
# must quote the sentences that the case names, each in a comment "// expect: <regex>".
file(STRINGS "${SOURCE}" lines REGEX "^// expect: ?")
set(expected "")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^// expect: ?" "" line "${line}")
  if(line STREQUAL "")
    message(FATAL_ERROR "the case expects nothing: '// expect: ' needs a regex")
  endif()
  list(APPEND expected "${line}")
endforeach()
if(NOT expected)
  message(FATAL_ERROR "the case names no sentence: a line '// expect: <regex>' is needed")
endif()

# Unset, because the compiler's messages follow the user's language.
set(ENV{LC_ALL} C)
set(command "${CXX}" -std=c++20 -fsyntax-only "-I${INCLUDE}")
execute_process(COMMAND ${command} "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "the accepted half does not compile:\n${output}")
endif()
execute_process(COMMAND ${command} -DMUST_FAIL "${SOURCE}" RESULT_VARIABLE result OUTPUT_VARIABLE output
  ERROR_VARIABLE output)
if(result EQUAL 0)
  message(FATAL_ERROR "the refused half compiles")
endif()
# Before version 16, Clang prints a fixed string as its character codes: {{103, 114, 97, 112, 104, 0}}.
string(REGEX MATCHALL "{[{]*[0-9]+(, [0-9]+)+}" arrays "${output}")
list(REMOVE_DUPLICATES arrays)
foreach(array IN LISTS arrays)
  string(REGEX MATCHALL "[0-9]+" codes "${array}")
  set(text "")
  foreach(code IN LISTS codes)
    if(code GREATER 31 AND code LESS 127)
      string(ASCII ${code} character)
      string(APPEND text "${character}")
    endif()
  endforeach()
  string(APPEND output "\n${text}")
endforeach()
foreach(sentence IN LISTS expected)
  if(NOT output MATCHES "${sentence}")
    message(FATAL_ERROR "refused, but not with our sentence \"${sentence}\":\n${output}")
  endif()
endforeach()
