/**
 * A node of a shared memory. Entry points of the application (synchronous) only ask and wait; those of the network (asynchronous) run in the
 * receive context of the node's actor, one at a time, alone change rights, and of the application do nothing but wake it (seed 000 section 4).
 */
package dev.weft.dsm.node;
