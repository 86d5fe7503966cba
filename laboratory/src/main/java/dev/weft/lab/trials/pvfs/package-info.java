/**
 * {@code weft pvfs bench}: the measurements of PVFS over InfiniBand, section 6, through the native interface on the running fabric. A separate client
 * joins the fabric, so the results are those of a program. Begin with {@link dev.weft.lab.trials.pvfs.PvfsBenchCommand}.
 */
package dev.weft.lab.trials.pvfs;
