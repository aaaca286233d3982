# Debian's libpq.a needs Kerberos and LDAP, which no static library offers; packaging/static/libraries.sh builds one
# without them.
foreach(part pq pgcommon pgport)
  find_library(WEFT_LIB${part} ${part} PATHS ${WEFT_STATIC_LIBRARIES}/lib NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
endforeach()
set(PostgreSQL_INCLUDE_DIRS ${WEFT_STATIC_LIBRARIES}/include)
set(PostgreSQL_LIBRARIES ${WEFT_LIBpq} ${WEFT_LIBpgcommon} ${WEFT_LIBpgport})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PostgreSQL REQUIRED_VARS WEFT_LIBpq WEFT_LIBpgcommon WEFT_LIBpgport)
