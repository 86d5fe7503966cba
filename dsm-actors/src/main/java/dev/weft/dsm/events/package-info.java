/** Events of Java Flight Recorder for the slow path: faults, invalidations and waits. Without a recording they do nothing. */
package dev.weft.dsm.events;
