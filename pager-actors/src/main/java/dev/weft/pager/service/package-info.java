/**
 * The pager as a {@link dev.weft.service.Service}: which JVM of a fabric carries which of its roles, its options and commands, what it shows
 * and alarms of. A memory server advertises its capacity to the fabric; where it joined, also the export that its memory becomes.
 */
package dev.weft.pager.service;
