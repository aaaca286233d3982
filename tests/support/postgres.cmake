# WEFT_POSTGRES_PROGRAMS is the folder with the programs of a PostgreSQL server, for tests of the PostgreSQL store.
# It is empty if that store is not built, or no server is installed (postgresql-15).
set(WEFT_POSTGRES_PROGRAMS "")
if(WEFT_POSTGRES)
  file(GLOB folders /usr/lib/postgresql/*/bin)
  find_program(WEFT_POSTGRES_SERVER postgres PATHS ${folders})
  if(WEFT_POSTGRES_SERVER)
    cmake_path(GET WEFT_POSTGRES_SERVER PARENT_PATH WEFT_POSTGRES_PROGRAMS)
  else()
    message(STATUS "no server of PostgreSQL (postgresql-15): its store is not tested")
  endif()
endif()
