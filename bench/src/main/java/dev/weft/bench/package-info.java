/** JMH benchmarks of single parts, and the floors that bench/compare-fabric measures beside ours. Nothing depends on it. */
package dev.weft.bench;
