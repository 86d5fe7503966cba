/**
 * The pager as a {@link dev.weft.service.Service}: its roles in the JVMs of a fabric, its options, commands, inspection and alarms. A memory server
 * advertises its capacity to the fabric; in a JVM that joins, it also advertises that its memory must be a separate export. Begin with {@link
 * dev.weft.pager.service.PagerService}.
 */
package dev.weft.pager.service;
