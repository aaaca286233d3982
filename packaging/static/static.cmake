# The option WEFT_STATIC: programs without shared libraries, at an address of the kernel's choice. The compiler's
# options are those of release, so that both builds share what ccache keeps.
set(WEFT_STATIC_LIBRARIES ${PROJECT_SOURCE_DIR}/build/static-libraries/amd64 CACHE PATH
    "What packaging/static/libraries.sh has built")
if(NOT EXISTS ${WEFT_STATIC_LIBRARIES}/complete)
  message(FATAL_ERROR "WEFT_STATIC needs static libraries that Debian lacks, in ${WEFT_STATIC_LIBRARIES}: "
    "build them by packaging/static/libraries.sh amd64 (or arm64), or name their folder in WEFT_STATIC_LIBRARIES")
endif()
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/cmake)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(OpenSSL REQUIRED)
add_link_options(-static-pie)

# Debian has spdlog, fmt and muparser as shared libraries only, its description of Abseil names the shared ones, and
# those of libedit and re2 leave out what these link: weft_find takes the targets that it finds here.
set(absl absl_time absl_time_zone absl_civil_time absl_strings absl_strings_internal absl_int128 absl_throw_delegate
  absl_base absl_spinlock_wait absl_raw_logging_internal absl_log_severity)
foreach(name edit bsd md tinfo re2 ${absl})
  find_library(WEFT_LIB${name} ${name} REQUIRED)
endforeach()
find_library(WEFT_LIBmuparser muparser PATHS ${WEFT_STATIC_LIBRARIES}/lib REQUIRED NO_DEFAULT_PATH
  NO_CMAKE_FIND_ROOT_PATH)
foreach(target libedit::libedit muparser::muparser re2::re2 spdlog::spdlog absl::time)
  add_library(${target} INTERFACE IMPORTED)
endforeach()
target_link_libraries(libedit::libedit INTERFACE ${WEFT_LIBedit} ${WEFT_LIBbsd} ${WEFT_LIBmd} ${WEFT_LIBtinfo})
target_link_libraries(muparser::muparser INTERFACE ${WEFT_LIBmuparser})
target_include_directories(muparser::muparser INTERFACE ${WEFT_STATIC_LIBRARIES}/include)
target_compile_definitions(muparser::muparser INTERFACE MUPARSER_STATIC)
target_link_libraries(re2::re2 INTERFACE ${WEFT_LIBre2})
foreach(name ${absl})
  target_link_libraries(absl::time INTERFACE ${WEFT_LIB${name}})
endforeach()
target_compile_definitions(spdlog::spdlog INTERFACE SPDLOG_HEADER_ONLY SPDLOG_FMT_EXTERNAL FMT_HEADER_ONLY)
