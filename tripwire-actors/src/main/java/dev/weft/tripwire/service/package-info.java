/**
 * Tripwires as a {@link dev.weft.service.Service}: which nodes of a JVM have a CLAN NIC, and its inspection. Begin with
 * {@link dev.weft.tripwire.service.NicService}.
 */
package dev.weft.tripwire.service;
