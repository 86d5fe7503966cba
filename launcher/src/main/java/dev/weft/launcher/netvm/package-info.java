/** {@code weft netvm}: memory that is not pinned, notifications and locks, measured in virtual time (seed 004). */
package dev.weft.launcher.netvm;
