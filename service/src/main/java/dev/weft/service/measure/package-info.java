/** How the measuring commands record latencies, and show what they have measured: columns as perftest's, and JSON. */
package dev.weft.service.measure;
