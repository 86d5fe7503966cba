/**
 * What several experiments measure with: the ends of a connection and the two JVMs of a measurement. Nothing here knows a result of a paper;
 * what a run costs in virtual time is in the profile.
 */
package dev.weft.lab.measure;
