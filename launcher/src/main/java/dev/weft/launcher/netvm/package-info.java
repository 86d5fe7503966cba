/** {@code weft netvm}: memory that is not pinned, notifications and locks, measured in virtual time and between two JVMs (seed 004). */
package dev.weft.launcher.netvm;
