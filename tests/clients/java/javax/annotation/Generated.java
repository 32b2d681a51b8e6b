package javax.annotation;

/** The annotation of jakarta.annotation-api, which generated classes have: Maven Central cannot be reached here. */
public @interface Generated {
    String[] value();

    String date() default "";

    String comments() default "";
}
