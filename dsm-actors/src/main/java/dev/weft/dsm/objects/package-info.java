/**
 * What the threads of a node hold and use: locks, barriers, conditions, faults, and their waits for the node's actor. Threads call these classes and
 * send messages ({@link dev.weft.dsm.objects.NodeCommand}); they change no rights.
 */
package dev.weft.dsm.objects;
