/**
 * The hardware dispatcher: one thread at a time runs all hardware actors of a JVM, the pollers of its Aeron subscriptions and
 * its timers. So a hop between two hardware actors is a queue operation and not a thread switch. The package also has the
 * executors of the other receive contexts. Begin with {@link dev.weft.fabric.dispatch.HardwareDispatcher}.
 */
package dev.weft.fabric.dispatch;
