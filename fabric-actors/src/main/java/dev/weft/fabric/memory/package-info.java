/** Memory that JVMs of one host copy out of each other's: what of it they can map, and how they read the rest. */
package dev.weft.fabric.memory;
