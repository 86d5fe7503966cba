/**
 * The hardware dispatcher (design section 4): one thread at a time runs every hardware actor of a JVM, the pollers of
 * its Aeron subscriptions and its timers, so that a hop between two hardware actors is a queue operation and not a
 * thread switch.
 */
package dev.weft.fabric.dispatch;
