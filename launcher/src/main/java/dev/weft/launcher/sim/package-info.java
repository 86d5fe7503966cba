/** {@code weft sim}: a pager cluster or the RC transport in deterministic virtual time, over a range of seeds. */
package dev.weft.launcher.sim;
