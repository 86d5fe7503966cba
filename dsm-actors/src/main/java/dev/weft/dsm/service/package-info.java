/** Shared memory in the JVMs of {@code weft up}: nodes that are homes for programs that join, and what there is to see of them. */
package dev.weft.dsm.service;
