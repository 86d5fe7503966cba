/**
 * A node of a shared memory. Begin with {@link dev.weft.dsm.node.DsmNode}, which programs use, and {@link dev.weft.dsm.node.DsmNodeActor}, its
 * protocol. Entry points of the application are synchronous: they only ask and wait. Entry points of the network are asynchronous: they run in the
 * receive context of the node's actor, one at a time. Only they change rights, and all they do to the application is wake it (Kernel DSM, section 4).
 */
package dev.weft.dsm.node;
