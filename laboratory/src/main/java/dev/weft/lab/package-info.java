/**
 * The laboratory: what tries Weft and compares it with the papers, and nothing that serves. It may use everything but the command line; no
 * part of the product knows it. It plugs in as a {@link dev.weft.service.CommandProvider}: where its jar is not on the class path, {@code
 * weft} has no {@code sim}, {@code repro}, {@code netvm}, {@code tripwire} and {@code mpi}; below {@code dsm} no {@code run}, {@code list},
 * {@code bench} and {@code litmus}; below {@code pvfs} no {@code bench}.
 */
package dev.weft.lab;
