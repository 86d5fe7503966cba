/**
 * Experiments of the papers as library code, in both clocks: the same protocol code runs on a hardware profile in virtual time and on
 * this machine in real time. Nothing here knows a result of a paper; what a run costs in virtual time is in the profile.
 */
package dev.weft.hca.experiments;
