# The examples that are written for Boost.Fiber, built with it where it is installed; otherwise
# their tests are skipped.
find_package(Boost QUIET COMPONENTS fiber context)

function(weft_boost_example topic)
  set(source "${PROJECT_SOURCE_DIR}/examples/${topic}.cpp")
  set(text "${CMAKE_CURRENT_BINARY_DIR}/boost_${topic}.cpp")
  add_custom_command(OUTPUT "${text}" COMMAND sed s/weft/boost/g "${source}" > "${text}" DEPENDS "${source}" VERBATIM)
  add_executable(boost_example_${topic} "${text}")
  target_link_libraries(boost_example_${topic} PRIVATE Boost::fiber Boost::context Threads::Threads)
endfunction()

foreach(topic IN ITEMS 02_fib 03_letters 04_producer_consumer 20_compute_kernel)
  if(TARGET Boost::fiber)
    weft_boost_example(${topic})
    add_test(NAME examples.${topic}_boost COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/run.py"
      $<TARGET_FILE:boost_example_${topic}> --expect "${CMAKE_CURRENT_SOURCE_DIR}/${topic}.txt")
  else()
    add_test(NAME examples.${topic}_boost COMMAND Python3::Interpreter -c "print('no Boost.Fiber here'); raise SystemExit(77)")
  endif()
  set_tests_properties(examples.${topic}_boost PROPERTIES LABELS examples TIMEOUT 240 SKIP_RETURN_CODE 77)
endforeach()
if(TARGET Boost::fiber)
  weft_boost_example(05_stall) # with Boost it hangs without a word
endif()
