/**
 * Architecture rules that every module's tests can apply to its own packages (design section 5). This package is the
 * module's test-jar: depend on {@code fabric-actors} with type {@code test-jar} and scope {@code test}.
 */
package dev.weft.fabric.rules;
