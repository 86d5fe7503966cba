/** Which daemon has which bytes of a file: arithmetic without state, the same in clients, daemons and the manager (seed 002 section 3.1). */
package dev.weft.pvfs.layout;
