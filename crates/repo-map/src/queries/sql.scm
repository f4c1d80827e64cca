; sql
