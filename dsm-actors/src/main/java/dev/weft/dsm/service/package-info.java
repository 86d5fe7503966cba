/**
 * Shared memory in the JVMs of {@code weft up}: nodes that are homes for programs that join, and their inspection. Begin with
 * {@link dev.weft.dsm.service.DsmDeployment}.
 */
package dev.weft.dsm.service;
