/**
 * The I/O daemon of seed 002 section 3.2: it has the stripes of files, moves data to and from clients by the mechanisms of section 4, and knows neither
 * names nor striping. Its pure parts are tested without actors.
 */
package dev.weft.pvfs.daemon;
