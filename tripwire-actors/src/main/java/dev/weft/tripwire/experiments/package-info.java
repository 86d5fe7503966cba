/** The measurements of seed 003 section 5 in virtual time. */
package dev.weft.tripwire.experiments;
